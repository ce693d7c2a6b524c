import { setTimeout as sleep } from 'node:timers/promises'
import { type LockMode, LockTable, type Release, type SharedLocks } from '../../../platform/concurrency/lock-table.ts'
import { boundedCache } from '../../../platform/lru.ts'
import type { Announcer } from '../../../platform/concurrency/processes.ts'
import type { ClusterLink, Lease, Session, Statement } from './cluster-link.ts'

const ACQUIRE: Statement = { name: 'take', text: 'select cluster_take($1, $2, $3) as fence' }
const RELEASE: Statement = {
  name: 'give',
  text: 'delete from cluster_lock where session_id = $1 and name = any($2::text[])',
}
/** The result of cluster_take if the lock is not free, instead of a fencing number. */
const HELD_BY_OTHER = '0'
const NO_SESSION = '-1'

const WANTED = 'lock wanted'
const FREE = 'lock free'
const FIRST_POLL_MS = 10
const MAX_POLL_MS = 500
/** Milliseconds between two searches for expired sessions. */
const REAP_MS = 250
/** How long a shared lock is kept after its last use: pushes to one repository come in series. */
const KEEP_MS = 3_000
/** Time for holders of a cached shared lock to release it. */
const GIVE_UP_MS = 50
const MAX_WANTED = 1_000
/** Twice the longest pause after which a waiting process announces again that it waits. */
const WANTED_MS = 1_000
/** How long a process that released a lock lets others take it first. */
const YIELD_MS = 20

/** A shared lock of this process, used by several tasks and cached for a while. */
interface Kept {
  readonly lease: Promise<Lease | undefined>
  /** Set once the lock was taken. */
  taken: Lease | undefined
  users: number
  isWanted: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * Named locks across all processes of a cluster: rows of PostgreSQL, each with a fencing number that only increases.
 * Acquiring a lock costs one statement, and its release one for which nothing waits; a shared lock that is used again
 * within three seconds costs none. Waiters of one process are served in their order, processes in the order in which
 * they ask after a release.
 */
export class ClusterLocks implements SharedLocks {
  readonly #link: ClusterLink
  readonly #announcer: Announcer
  /** Locks between the tasks of this process. */
  readonly #local = new LockTable()
  readonly #kept = new Map<string, Kept>()
  /** Names that other processes recently announced to wait for. */
  readonly #wanted = boundedCache<string, true>(MAX_WANTED, WANTED_MS)
  /** Names by the `performance.now()` until which this process does not take them. */
  readonly #yielded = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()
  /** Names to release with the next statement. */
  #given: Lease[] = []
  #reapedAt = 0

  constructor(link: ClusterLink, announcer: Announcer) {
    this.#link = link
    this.#announcer = announcer
    announcer.onAnnounced(WANTED, (name) => this.#onWanted(name))
    announcer.onAnnounced(FREE, (name) => this.#wake(name))
    announcer.onMissed(() => {
      for (const name of this.#waiting.keys()) this.#wake(name)
    })
  }

  /** Throws unavailable if the database cannot be reached for 10 seconds. */
  async lock(name: string, mode: LockMode): Promise<Release> {
    const leave = await this.#local.lock(name, mode)
    try {
      for (let pause = FIRST_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 2)) {
        const release = await this.#try(name, mode, leave)
        if (release !== undefined) return release
        await this.#wait(name, pause)
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  async tryLock(name: string, mode: LockMode): Promise<Release | undefined> {
    const leave = await this.#local.tryLock(name, mode)
    if (leave === undefined) return undefined
    try {
      const release = (await this.#try(name, mode, leave)) ?? (await this.#tryAgain(name, mode, leave))
      if (release === undefined) leave()
      return release
    } catch (error) {
      leave()
      throw error
    }
  }

  async #tryAgain(name: string, mode: LockMode, leave: Release): Promise<Release | undefined> {
    await this.#wait(name, GIVE_UP_MS)
    return this.#try(name, mode, leave)
  }

  #try(name: string, mode: LockMode, leave: Release): Promise<Release | undefined> {
    return mode === 'shared' ? this.#share(name, leave) : this.#own(name, leave)
  }

  async #own(name: string, leave: Release): Promise<Release | undefined> {
    const pause = (this.#yielded.get(name) ?? 0) - performance.now()
    if (pause > 0) await sleep(pause)
    const kept = this.#kept.get(name)
    if (kept !== undefined) this.#drop(name, kept)
    const lease = await this.#take(name, true)
    if (lease === undefined) return undefined
    return this.#releaseOf(lease, () => {
      this.#give(lease, this.#wanted.delete(name))
      leave()
    })
  }

  async #share(name: string, leave: Release): Promise<Release | undefined> {
    const kept = this.#kept.get(name) ?? this.#keep(name)
    kept.users++
    clearTimeout(kept.timer)
    const lease = await kept.lease.catch((error: unknown) => {
      this.#leave(name, kept)
      throw error
    })
    if (lease === undefined || lease.session.isLost) {
      if (this.#kept.get(name) === kept) this.#kept.delete(name)
      return lease === undefined ? undefined : this.#share(name, leave)
    }
    kept.taken = lease
    return this.#releaseOf(lease, () => {
      this.#leave(name, kept)
      leave()
    })
  }

  #keep(name: string): Kept {
    const lease = this.#take(name, false)
    const kept: Kept = { lease, taken: undefined, users: 0, isWanted: false, timer: undefined }
    this.#kept.set(name, kept)
    return kept
  }

  #leave(name: string, kept: Kept): void {
    if (--kept.users > 0) return
    if (kept.isWanted) this.#drop(name, kept)
    else kept.timer = setTimeout(() => this.#drop(name, kept), KEEP_MS).unref()
  }

  #drop(name: string, kept: Kept): void {
    clearTimeout(kept.timer)
    if (this.#kept.get(name) === kept) this.#kept.delete(name)
    if (kept.taken !== undefined) this.#give(kept.taken, kept.isWanted)
  }

  #releaseOf(lease: Lease, give: () => void): Release {
    let isReleased = false
    return Object.assign(
      () => {
        if (isReleased) return
        isReleased = true
        give()
      },
      { confirm: () => this.#link.confirm(lease) },
    )
  }

  /** Undefined if the lock is not free. */
  async #take(name: string, exclusively: boolean): Promise<Lease | undefined> {
    for (;;) {
      const session = await this.#link.session()
      this.#flush()
      const fence = await this.#ask(session, name, exclusively)
      if (fence === HELD_BY_OTHER) return undefined
      if (fence !== NO_SESSION) return { name, session, fence }
      this.#link.lose(session)
    }
  }

  async #ask(session: Session, name: string, exclusively: boolean): Promise<string> {
    try {
      const { rows } = await this.#link.query(session, ACQUIRE, [name, exclusively, session.id])
      return String((rows[0] as { fence: unknown }).fence)
    } catch (error) {
      if (!session.isLost) throw error
      return NO_SESSION // the next session tries again
    }
  }

  #give(lease: Lease, isWanted: boolean): void {
    if (lease.session.isLost) return
    if (this.#given.length === 0) setImmediate(() => this.#flush())
    this.#given.push(lease)
    if (!isWanted) return
    this.#flush()
    this.#announcer.announce(FREE, lease.name)
    this.#yield(lease.name)
  }

  #yield(name: string): void {
    const until = performance.now() + YIELD_MS
    this.#yielded.set(name, until)
    setTimeout(() => {
      if (this.#yielded.get(name) === until) this.#yielded.delete(name)
    }, YIELD_MS).unref()
  }

  /** NOTE: sent before the next `take` of the process, which must not find its own locks. */
  #flush(): void {
    const bySession = Map.groupBy(this.#given, ({ session }) => session)
    this.#given = []
    for (const [session, leases] of bySession) {
      const names = leases.map(({ name }) => name)
      // A lost session has no locks.
      this.#link.query(session, RELEASE, [session.id, names]).catch(() => {})
    }
  }

  async #wait(name: string, pause: number): Promise<void> {
    const freed = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiting.add(freed.resolve))
    this.#announcer.announce(WANTED, name)
    const timer = setTimeout(freed.resolve, pause)
    await freed.promise
    clearTimeout(timer)
    waiting.delete(freed.resolve)
    if (waiting.size === 0) this.#waiting.delete(name)
    if (performance.now() - this.#reapedAt < REAP_MS) return
    this.#reapedAt = performance.now()
    const session = await this.#link.session()
    await this.#link.reap(session).catch((error: unknown) => {
      if (!session.isLost) throw error
    })
  }

  #wake(name: string): void {
    for (const resolve of this.#waiting.get(name) ?? []) resolve()
  }

  #onWanted(name: string): void {
    this.#wanted.set(name, true)
    const kept = this.#kept.get(name)
    if (kept === undefined) return
    kept.isWanted = true
    if (kept.users === 0) this.#drop(name, kept)
  }
}
