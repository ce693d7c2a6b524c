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

/** The settings of `[cluster]` for one node. */
export interface ClusterSettings {
  /** Unique within the cluster. */
  readonly node: string
  /** Absolute path of the directory of this node alone. */
  readonly localDir: string
  /** Milliseconds until the locks of an unresponsive process become free. */
  readonly leaseMs: number
}

const NOT_IN_NAMES = /[^A-Za-z0-9._-]/g

/** The configured name, or the host name. */
export const nodeName = ({ cluster }: Pick<Config, 'cluster'>): string =>
  cluster.node === '' ? hostname().replace(NOT_IN_NAMES, '-').slice(0, 63) : cluster.node

/** Undefined if `cluster.enabled` is off. Throws Invalid, which stops the start, without PostgreSQL. */
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
  /** Absolute path of the cache directory, used by this machine only. */
  readonly cacheDir: string
  /** Closes the database too. */
  close(): Promise<void>
}

/** Locks the data directory of a server, or in a cluster the directory of the node. */
export const lockServer = (config: Config): FileLock => lockDataDir(openDataDir(lockedDir(config)))

/** Prevents another server from starting while this worker outlives a killed supervisor. */
export const shareServer = (config: Config): FileLock => shareDataDir(openDataDir(lockedDir(config)))

const lockedDir = (config: Config): string => clusterSettings(config)?.localDir ?? config.data_dir

interface OpenOptions {
  readonly dataDir: string
  readonly log: Logger
  /** The processes of this machine. */
  readonly local: Processes
  /** Closed together with the result, and if opening fails. */
  readonly database: Database
}

/** Opens the processes of the machine, in a cluster those of all its nodes. */
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
 * Identifies a server across its runs, of which only one is active: its data directory is locked. One PostgreSQL
 * database may have servers on other machines with the same path.
 */
const serverScope = (config: Config, dataDir: string): string =>
  sha256Hex(config.database.url.startsWith('postgres') ? `${nodeName(config)}\n${dataDir}` : dataDir).slice(0, 16)

/** Runs `start` while no other node starts: concurrent starts could generate keys and directories twice. */
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
