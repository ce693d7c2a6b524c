import { join, resolve } from 'node:path'
import type { Config } from '../../core/config/index.ts'
import type { Database } from '../../core/db/database.ts'
import { joinCluster } from '../../core/db/dialect/cluster/cluster-announcements.ts'
import type { FileLock } from '../../core/db/dialect/file-lock.ts'
import { type Processes, withinScope } from '../../core/platform/concurrency/processes.ts'
import { sha256Hex } from '../../core/platform/crypto/crypto.ts'
import type { Logger } from '../../core/platform/logger.ts'
import { lockDataDir, openDataDir, shareDataDir } from '../data-dir.ts'
import { hostname } from 'node:os'
import { invalid } from '../../core/platform/errors.ts'

/** What `[cluster]` means for one node. */
export interface ClusterSettings {
  /** Unique within the cluster. */
  readonly node: string
  /** Absolute path of the directory of this node alone. */
  readonly localDir: string
  /** Milliseconds after which the locks of a process that does not respond are free. */
  readonly leaseMs: number
}

const NOT_IN_NAMES = /[^A-Za-z0-9._-]/g

/** The configured name, or the host name. */
export const nodeName = ({ cluster }: Pick<Config, 'cluster'>): string =>
  cluster.node === '' ? hostname().replace(NOT_IN_NAMES, '-').slice(0, 63) : cluster.node

/** Undefined where `cluster.enabled` is off. Throws Invalid, which stops the start, without PostgreSQL. */
export function clusterSettings(
  config: Pick<Config, 'cluster' | 'database' | 'data_dir'>,
): ClusterSettings | undefined {
  const { cluster, database, data_dir } = config
  if (!cluster.enabled) return undefined
  if (!database.url.startsWith('postgres'))
    throw invalid('cluster.enabled needs PostgreSQL: set database.url to postgres://user:password@host/database')
  const node = nodeName(config)
  return {
    node,
    localDir: resolve(cluster.local_dir === '' ? join(data_dir, 'nodes', node) : cluster.local_dir),
    leaseMs: cluster.lease * 1000,
  }
}

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
