import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { engineErrors, unavailable } from '../../../platform/errors.ts'
import type { Logger } from '../../../platform/logger.ts'

export interface ClusterLinkOptions {
  /** A direct URL of PostgreSQL: a pooler that shares connections among transactions does not work. */
  readonly url: string
  readonly node: string
  /** Identifies this process across its sessions. */
  readonly member: string
  /** Milliseconds after which the locks of an unresponsive process become free. */
  readonly leaseMs: number
  readonly log: Logger
}

/** This process as others see it, for the lifetime of one connection. */
export interface Session {
  readonly id: number
  /** Time in milliseconds, as returned by `performance.now()`. */
  readonly openedAt: number
  isLost: boolean
}

/** A lock as identified in its row. */
export interface Lease {
  readonly name: string
  readonly session: Session
  readonly fence: string
}

interface Opened {
  readonly client: pg.Client
  readonly session: Session
}

export const CHANNEL = 'ingot_cluster'
/** Heartbeats within the time of a lease. */
const BEATS = 4
const FIRST_PAUSE_MS = 50
/** Short, so that a node serves again soon after the database is back; one attempt is cheap for both. */
const MAX_PAUSE_MS = 100
/** Timeout for an answer, in case the server died silently. */
const SILENCE_MS = 5_000
/** Timeout for a connection when there is none. */
const WAIT_MS = 10_000

/** Prepared once per connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

const JOIN: Statement = {
  name: 'join',
  text: `insert into cluster_session (id, expires_at, node, member)
    values ($1, clock_timestamp() + $2 * interval '1 ms', $3, $4)`,
}
/** NOTE: a late session continues unless it was deleted: only deletion frees its locks. */
const RENEW: Statement = {
  name: 'renew',
  text: `update cluster_session set expires_at = clock_timestamp() + $2 * interval '1 ms'
    where id = $1`,
}
const CONFIRM: Statement = {
  name: 'confirm',
  text: `${RENEW.text}
    and exists (select 1 from cluster_lock where name = $3 and session_id = $1 and fence = $4)`,
}
const REAP: Statement = { name: 'reap', text: 'select cluster_reap($1)' }
const MEMBERS: Statement = { name: 'members', text: 'select member from cluster_session' }
const NODES: Statement = { name: 'nodes', text: 'select distinct node from cluster_session where id <> $1 order by 1' }

/**
 * The connection by which a process takes part in a cluster. It carries the session with its heartbeat, locks and
 * notifications, in the order in which they are sent. Losing it loses the session with all its locks; a new one is
 * opened with growing pauses.
 */
export class ClusterLink {
  readonly #options: ClusterLinkOptions
  #opened: Opened | undefined
  #reopening: Promise<void> | undefined
  readonly #closing = new AbortController()
  #beat: NodeJS.Timeout | undefined
  readonly #onNotification: ((payload: string) => void)[] = []
  readonly #onReopened: (() => void)[] = []

  private constructor(options: ClusterLinkOptions) {
    this.#options = options
  }

  /** Rejects if the first connection fails. */
  static async open(options: ClusterLinkOptions): Promise<ClusterLink> {
    const link = new ClusterLink(options)
    link.#opened = await link.#connect()
    link.#beat = setInterval(() => void link.#renew(), options.leaseMs / BEATS)
    return link
  }

  onNotification(listener: (payload: string) => void): void {
    this.#onNotification.push(listener)
  }

  /** Called for every connection after the first. */
  onReopened(listener: () => void): void {
    this.#onReopened.push(listener)
  }

  /** Waits for a connection; throws unavailable if there is none within 10 seconds. */
  async session(): Promise<Session> {
    if (this.#opened === undefined) await Promise.race([this.#reopening, sleep(WAIT_MS, undefined, { ref: false })])
    if (this.#opened === undefined) throw engineErrors.databaseUnreachable()
    return this.#opened.session
  }

  /** Runs one statement of the session. Throws unavailable if the connection is lost, which ends the session. */
  async query(session: Session, statement: Statement, values: readonly unknown[]): Promise<pg.QueryResult> {
    const opened = this.#opened
    if (opened?.session !== session) throw engineErrors.databaseUnreachable()
    try {
      return await opened.client.query({ ...statement, values: [...values] })
    } catch (error) {
      this.#lose(opened, error)
      throw engineErrors.databaseUnreachable().causedBy(error)
    }
  }

  /** Extends the lock to a full lease from now. Throws unavailable if another process may have it. */
  async confirm({ name, session, fence }: Lease): Promise<void> {
    if (!(await this.#extend(session, CONFIRM, [name, fence])))
      throw unavailable('this server did not respond for too long and lost a lock to another one, try again')
  }

  /** Deletes expired sessions and their locks. */
  async reap(session: Session): Promise<void> {
    await this.query(session, REAP, [session.id])
  }

  /** The names of the processes with live sessions. */
  async listMembers(session: Session): Promise<string[]> {
    const [, { rows }] = await Promise.all([this.reap(session), this.query(session, MEMBERS, [])])
    return (rows as { member: string }[]).map(({ member }) => member)
  }

  /** The names of other nodes with sessions. */
  async listNodes(session: Session): Promise<string[]> {
    const [, { rows }] = await Promise.all([this.reap(session), this.query(session, NODES, [session.id])])
    return (rows as { node: string }[]).map(({ node }) => node)
  }

  /** Ends the session: its locks are lost. */
  lose(session: Session): void {
    if (this.#opened?.session === session) this.#lose(this.#opened, 'the session is over')
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#beat)
    const opened = this.#opened
    this.#opened = undefined
    await this.#reopening
    if (opened === undefined) return
    await opened.client.query('delete from cluster_lock where session_id = $1', [opened.session.id]).catch(() => {})
    await opened.client.query('delete from cluster_session where id = $1', [opened.session.id]).catch(() => {})
    await opened.client.end().catch(() => {})
  }

  async #renew(): Promise<void> {
    const session = this.#opened?.session
    if (session === undefined) return
    try {
      if (await this.#extend(session, RENEW, [])) await this.reap(session)
      else this.lose(session)
    } catch {
      // The connection was lost.
    }
  }

  async #extend(session: Session, statement: Statement, values: readonly unknown[]): Promise<boolean> {
    const { leaseMs } = this.#options
    if (session.isLost) return false
    const { rowCount } = await this.query(session, statement, [session.id, leaseMs, ...values])
    return rowCount !== 0
  }

  async #connect(): Promise<Opened> {
    const { url, node, member, leaseMs } = this.#options
    const client = new pg.Client({
      connectionString: url,
      application_name: `ingot ${node}`.slice(0, 63),
      connectionTimeoutMillis: SILENCE_MS,
      query_timeout: Math.max(leaseMs, SILENCE_MS),
      keepAlive: true,
      pipeline: true,
    })
    const session: Session = { id: randomInt(1, 2 ** 48 - 1), openedAt: performance.now(), isLost: false }
    const opened = { client, session }
    client.on('error', (error) => this.#lose(opened, error))
    client.on('end', () => this.#lose(opened, 'the connection ended'))
    client.on('notification', ({ payload = '' }) => {
      for (const listener of this.#onNotification) listener(payload)
    })
    try {
      await client.connect()
      // NOTE: a session without the advisory lock of its id counts as ended, so that lock comes first; they run in this
      // order.
      await Promise.all([
        client.query('select pg_advisory_lock($1)', [session.id]),
        client.query({ ...JOIN, values: [session.id, leaseMs, node, member] }),
        client.query(`listen ${CHANNEL}`),
        client.query({ ...REAP, values: [session.id] }),
      ])
      return opened
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
  }

  #lose(lost: Opened, reason: unknown): void {
    lost.session.isLost = true
    if (this.#opened !== lost) return
    this.#opened = undefined
    // NOTE: the server frees its locks when the connection closes.
    void lost.client.end().catch(() => {})
    if (this.#closing.signal.aborted) return
    this.#options.log.warn({ err: reason }, 'lost the connection to the cluster; reconnecting')
    this.#reopening = this.#reopen()
  }

  async #reopen(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.#closing.signal.aborted; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
      const opened = await this.#connect().catch((error: unknown) => {
        this.#options.log.debug({ err: error }, 'cannot connect to the cluster')
        return undefined
      })
      if (opened !== undefined && !this.#closing.signal.aborted) {
        this.#opened = opened
        this.#reopening = undefined
        for (const listener of this.#onReopened) listener()
        return
      }
      await opened?.client.end().catch(() => {})
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal: this.#closing.signal }).catch(() => {})
    }
  }
}
