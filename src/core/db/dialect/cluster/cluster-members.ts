import { randomHex } from '../../../platform/crypto/crypto.ts'
import type { Announcer, Members } from '../../../platform/concurrency/processes.ts'
import type { ClusterLink, Session } from './cluster-link.ts'

/** Milliseconds between two reads of the sessions while a caller waits. */
const LOOK_MS = 250
/** How long a process may lack a session: one that has lost its connection opens another. */
const GRACE_MS = 750
/** The same for the session of this process: PostgreSQL may have been down before, and others may return later. */
const OWN_GRACE_MS = 6_000
const LEFT = 'left'
const PREFIX = 'cluster/'

type Listener = (names: readonly string[]) => void

/**
 * The processes of a cluster by the names in their sessions. A process counts as ended if it had no session for a while
 * during which this process had one. Reads the sessions only while there are listeners.
 */
export class ClusterMembers implements Members {
  readonly self: string
  readonly #link: ClusterLink
  readonly #announcer: Announcer
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** `performance.now()` of the first read with the present session. */
  #since: number | undefined
  #there: ReadonlySet<string> = new Set()
  /** Names that announced their end, while their sessions still exist. */
  readonly #left = new Set<string>()
  /** Names by the first read that no longer found them. */
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

  /** Announces that this process ends regularly. */
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
      // The connection was lost; the next one starts with a new state.
    } finally {
      this.#isLooking = false
    }
  }

  #compare({ openedAt }: Session, names: ReadonlySet<string>): void {
    const now = performance.now()
    this.#since ??= now
    const missing = [...this.#there].filter((name) => !names.has(name) && !this.#left.has(name))
    for (const name of missing) this.#missing.set(name, now)
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

/** Unique to one process, not reused by later ones. */
export const nameMember = (node: string): string => `${PREFIX}${node}/${randomHex(8)}`
