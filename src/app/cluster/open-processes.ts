import { join } from 'node:path'
import type { Config } from '../../core/config/index.ts'
import type { Database } from '../../core/db/database.ts'
import { joinCluster } from '../../core/db/dialect/cluster/join-cluster.ts'
import type { FileLock } from '../../core/db/dialect/file-lock.ts'
import { type Processes, withinScope } from '../../core/platform/concurrency/processes.ts'
import { sha256Hex } from '../../core/platform/crypto/crypto.ts'
import type { Logger } from '../../core/platform/logger.ts'
import { lockDataDir, openDataDir, shareDataDir } from '../data-dir.ts'
import { clusterSettings, nodeName } from './cluster-settings.ts'

interface OpenedProcesses {
  readonly processes: Processes
  /** Absolute path of the directory of caches, of this machine alone. */
  readonly cacheDir: string
  /** Closes the database too. */
  close(): Promise<void>
}

/** Locks what belongs to one server: the data directory, or in a cluster the directory of the node. */
export const lockServer = (config: Config): FileLock => lockDataDir(openDataDir(lockedDir(config)))

/** Keeps the next server from what this worker may still use after its supervisor was killed. */
export const shareServer = (config: Config): FileLock => shareDataDir(openDataDir(lockedDir(config)))

const lockedDir = (config: Config): string => clusterSettings(config)?.localDir ?? config.data_dir

interface OpenOptions {
  readonly dataDir: string
  readonly log: Logger
  /** Those of this machine. */
  readonly local: Processes
  /** With its tables; closed with the result, and when that cannot be made. */
  readonly database: Database
}

/** Those of the machine, and in a cluster those of all its nodes. */
export async function openProcesses(config: Config, options: OpenOptions): Promise<OpenedProcesses> {
  const { dataDir, log, local, database } = options
  const settings = clusterSettings(config)
  if (settings === undefined) {
    const processes = withinScope(local, serverScope(config, dataDir))
    return { processes, cacheDir: join(dataDir, 'cache'), close: () => database.close() }
  }
  const { node, localDir, leaseMs } = settings
  try {
    const { processes, close } = await joinCluster({ url: config.database.url, node, leaseMs, log, dataDir }, local)
    return { processes, cacheDir: join(localDir, 'cache'), close: () => close().finally(() => database.close()) }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * The same for all runs of a server, of which there is one at a time: its data directory is locked. A PostgreSQL
 * database may have servers on other machines, with directories of the same path.
 */
const serverScope = (config: Config, dataDir: string): string =>
  sha256Hex(config.database.url.startsWith('postgres') ? `${nodeName(config)}\n${dataDir}` : dataDir).slice(0, 16)

/** Runs `start` while no other node starts: nodes would make keys and directories that each of them misses. */
export async function startingAlone<T>(
  { acrossMachines, locks }: Pick<Processes, 'acrossMachines' | 'locks'>,
  start: () => Promise<T>,
): Promise<T> {
  if (!acrossMachines) return start()
  const release = await locks!.lock('start', 'exclusive')
  try {
    return await start()
  } finally {
    release()
  }
}
