import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../core/config/index.ts'
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
