import type { Finding } from '../../../core/module.ts'
import type { NodeRow } from './node.store.ts'

/** The interval on PostgreSQL: short, because other nodes and load balancers read it. */
const HEARTBEAT_MS = 5_000
/** NOTE: SQLite has only one server, and each commit invalidates cached rows and totals. */
const HEARTBEAT_ON_SQLITE_MS = 60_000
/** The number of missed heartbeats after which a node is shown as `gone`. */
const MISSED = 4
/** The tolerated offset from the clock of the database, in either direction. */
const MAX_CLOCK_OFFSET_MS = 1_000

export const heartbeatInterval = (dialect: 'postgres' | 'sqlite'): number =>
  dialect === 'sqlite' ? HEARTBEAT_ON_SQLITE_MS : HEARTBEAT_MS

/** Whether the last heartbeat is so old that the node no longer runs. */
export const isGone = ({ heartbeat_at }: NodeRow, now: number, intervalMs: number): boolean =>
  heartbeat_at < now - MISSED * intervalMs

interface Observer {
  /** The version of the checking program. */
  readonly version: string
  /** The time of the database. */
  readonly now: number
  readonly intervalMs: number
}

/** Findings about the nodes for `ingot doctor`. */
export function nodeFindings(nodes: readonly NodeRow[], { version, now, intervalMs }: Observer): Finding[] {
  const [gone, running] = [true, false].map((wanted) =>
    nodes.filter((node) => isGone(node, now, intervalMs) === wanted),
  ) as [NodeRow[], NodeRow[]]
  return [
    ...gone.map((node): Finding => {
      const seconds = Math.round((now - node.heartbeat_at) / 1000)
      return { what: `${nameOf(node)} is gone: its last heartbeat was ${seconds} s ago`, state: 'note' }
    }),
    ...running
      .filter((node) => node.version !== version)
      .map((node): Finding => ({
        what: `${nameOf(node)} runs Ingot ${node.version}; this is ${version}`,
        state: 'note',
      })),
    ...running.flatMap((node) => clockFindings(nameOf(node), node.clock_offset)),
    ...[...Map.groupBy(running, ({ name }) => name)]
      .filter(([, same]) => same.length > 1)
      .map(([name, same]): Finding => ({
        what: `${same.length} nodes are called ${name}: give each a name of its own (cluster.node)`,
        state: 'problem',
      })),
  ]
}

/** Findings about a clock that differs from the database's by `offset` milliseconds. */
export function clockFindings(whose: string, offset: number): Finding[] {
  if (Math.abs(offset) <= MAX_CLOCK_OFFSET_MS) return []
  const by = `${(Math.abs(offset) / 1000).toFixed(1)} s ${offset > 0 ? 'ahead of' : 'behind'}`
  return [{ what: `the clock of ${whose} is ${by} that of the database`, state: 'problem' }]
}

const nameOf = ({ name, host, pid }: NodeRow): string => `the node ${name} (process ${pid} of ${host})`
