import type { Processes } from '../../../core/platform/concurrency/processes.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { WorkerLoop } from '../../../core/platform/process/worker-loop.ts'
import type { Core, Worker } from '../../../core/module.ts'
import {
  deleteEarlierRuns,
  deleteNodesBefore,
  deleteOwnNode,
  listNodes,
  type NodeRow,
  upsertNode,
} from './node.store.ts'
import { heartbeatInterval, isGone } from './nodes.policy.ts'

/** Far more than any cluster has. */
const MAX_NODES = 1_000
/** The time after which the row of a node that no longer runs is deleted. */
const KEPT_MS = 24 * 60 * 60_000
/** Slower clock comparisons are discarded as inaccurate. */
const MAX_ROUND_TRIP_MS = 500

/** The data that a node reports about itself; `started_at` is by its own clock. */
type NodeFacts = Omit<NodeRow, 'clock_offset' | 'heartbeat_at'>

export interface ListedNode extends NodeRow {
  readonly isGone: boolean
}

interface NodesDeps extends Pick<Core, 'database' | 'clock' | 'log'> {
  readonly processes: Pick<Processes, 'acrossMachines' | 'otherNodes'>
  readonly self: NodeFacts
}

/**
 * The servers that use the database, each with a row that its heartbeats update. In each server, the process that runs
 * the background work sends them.
 */
export class Nodes implements Worker {
  readonly #deps: NodesDeps
  readonly #loop: WorkerLoop
  #clockOffset = 0
  #hasRow = false

  constructor(deps: NodesDeps) {
    this.#deps = deps
    const work = (): Promise<boolean> => this.beat().then(() => false)
    this.#loop = new WorkerLoop({ work, interval: this.intervalMs, log: deps.log })
  }

  /** Milliseconds between heartbeats. */
  get intervalMs(): number {
    return heartbeatInterval(this.#deps.database.dialect.name)
  }

  start(): void {
    this.#loop.start()
  }

  /** Deletes the row of this server. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    if (!this.#hasRow) return
    const { database, log, self } = this.#deps
    await database
      .transaction((tx) => deleteOwnNode(tx, self))
      .catch((error: unknown) => log.warn({ err: error }, 'failed to delete the row of this node'))
  }

  async drain(): Promise<boolean> {
    return false
  }

  /** Sends a heartbeat and deletes the rows of nodes without a heartbeat for a day. */
  async beat(): Promise<void> {
    const { database, self } = this.#deps
    const now = await this.#compareClocks()
    const offset = this.#clockOffset
    const row = { ...self, started_at: self.started_at - offset, heartbeat_at: now, clock_offset: offset }
    const isFirst = !this.#hasRow
    await database.transaction(async (tx) => {
      await upsertNode(tx, row)
      await deleteNodesBefore(tx, now - KEPT_MS)
      if (isFirst) await deleteEarlierRuns(tx, self)
    })
    this.#hasRow = true
  }

  /** Ordered by name. */
  async list(paging: Paging): Promise<Page<ListedNode>> {
    const { items, total } = await listNodes(this.#deps.database.read, paging)
    const now = await this.databaseTime()
    return { items: items.map((row) => ({ ...row, isGone: isGone(row, now, this.intervalMs) })), total }
  }

  /**
   * The names of other servers that use the database now; excludes killed servers of a cluster. Empty for SQLite,
   * because the data directory is locked.
   */
  async listOthers(): Promise<readonly string[]> {
    const { database, processes, self } = this.#deps
    if (processes.acrossMachines) return processes.otherNodes()
    if (database.dialect.name === 'sqlite') return []
    const { items } = await this.list({ page: 1, offset: 0, limit: MAX_NODES })
    return items
      .filter(({ isGone, name, host }) => !isGone && (name !== self.name || host !== self.host))
      .map(({ name }) => name)
  }

  /** The time of the database, in epoch milliseconds. */
  databaseTime(): Promise<number> {
    const { dialect, connections } = this.#deps.database
    return dialect.now(connections)
  }

  /** Milliseconds by which the clock of this machine is ahead of the database's. */
  async clockOffset(): Promise<number> {
    await this.#compareClocks()
    return this.#clockOffset
  }

  async #compareClocks(): Promise<number> {
    const { clock } = this.#deps
    const before = clock.now()
    const now = await this.databaseTime()
    const after = clock.now()
    if (after - before <= MAX_ROUND_TRIP_MS) this.#clockOffset = Math.round((before + after) / 2 - now)
    return now
  }
}
