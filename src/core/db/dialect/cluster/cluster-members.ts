import { randomHex } from '../../../platform/crypto/crypto.ts'
import type { Announcer, Members } from '../../../platform/concurrency/processes.ts'
import type { ClusterLink, Session } from './cluster-link.ts'

/** Between two reads of the sessions, while a caller waits. */
const LOOK_MS = 250
/** For which a process may be without a session: one that has lost its connection opens another. */
const GRACE_MS = 750
/** The same for the session of this process: PostgreSQL may have been away before, and others come back later. */
const OWN_GRACE_MS = 6_000
const LEFT = 'left'
const PREFIX = 'cluster/'

type Listener = (names: readonly string[]) => void

/**
 * The processes of a cluster by the names in their sessions. One has ended when it had no session for a moment, while
 * this process had its own all the time. It looks only while there are listeners.
 */
export class ClusterMembers implements Members {
  readonly self: string
  readonly #link: ClusterLink
  readonly #announcer: Announcer
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** `performance.now()` of the first look with the present session. */
  #since: number | undefined
  #there: ReadonlySet<string> = new Set()
  /** Names of those that said so, while they still have sessions. */
  readonly #left = new Set<string>()
  /** Names by the look that did not find them any more. */
  readonly #missing = new Map<string, number>()
  #isCertain = false

  /** `name`: see `nameMember`. */
  constructor(link: ClusterLink, announcer: Announcer, name: string) {
    this.self = name
    this.#link = link
    this.#announcer = announcer
    link.onReopened(() => this.#forget())
    announcer.onAnnounced(LEFT, (name) => {
      if (this.#timer !== undefined) this.#left.add(name)
    })
  }

  ended(names: readonly string[]): string[] {
    if (!this.#isCertain) return []
    return names.filter((name) => name.startsWith(PREFIX) && !this.#there.has(name) && !this.#missing.has(name))
  }

  onEnded(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
      this.#forget()
    }
  }

  /** Says that this process ends by itself. */
  close(): void {
    clearInterval(this.#timer)
    this.#announcer.announce(LEFT, this.self)
  }

  #forget(): void {
    this.#since = undefined
    this.#there = new Set()
    this.#left.clear()
    this.#missing.clear()
    this.#isCertain = false
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const session = await this.#link.session()
      const names = await this.#link.listMembers(session)
      if (!session.isLost && this.#timer !== undefined) this.#compare(session, new Set(names))
    } catch {
      // The connection was lost; what was seen is forgotten when there is another one.
    } finally {
      this.#isLooking = false
    }
  }

  #compare({ openedAt }: Session, names: ReadonlySet<string>): void {
    const now = performance.now()
    this.#since ??= now
    const gone = [...this.#there].filter((name) => !names.has(name) && !this.#left.has(name))
    for (const name of gone) this.#missing.set(name, now)
    for (const name of this.#left) if (!names.has(name)) this.#left.delete(name)
    for (const name of names) this.#missing.delete(name)
    this.#there = names
    const ended = [...this.#missing].filter(([, since]) => now - since >= GRACE_MS).map(([name]) => name)
    for (const name of ended) this.#missing.delete(name)
    const wasCertain = this.#isCertain
    this.#isCertain = now - this.#since >= GRACE_MS && now - openedAt >= OWN_GRACE_MS
    if (ended.length === 0 && this.#isCertain === wasCertain) return
    for (const listener of this.#listeners) listener(ended)
  }
}

/** Of one process and no later one. */
export const nameMember = (node: string): string => `${PREFIX}${node}/${randomHex(8)}`
