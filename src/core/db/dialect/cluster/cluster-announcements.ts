import { randomUUID } from 'node:crypto'
import { CHANNEL, ClusterLink, type Statement, type ClusterLinkOptions } from './cluster-link.ts'
import type { Processes } from '../../../platform/concurrency/processes.ts'
import { ClusterLocks } from './cluster-locks.ts'
import { ClusterMembers, nameMember } from './cluster-members.ts'

const NOTIFY: Statement = { name: 'notify', text: `select pg_notify('${CHANNEL}', $1)` }

/** PostgreSQL accepts less than 8,000 bytes. */
const MAX_PAYLOAD = 7_900
/** Maximum announcements that wait for a connection. */
const MAX_WAITING = 5_000
/** Says that announcements were dropped. No other topic is empty. */
const DROPPED = ''

type Listener = (detail: string) => void

/**
 * Sends announcements by NOTIFY: those of one turn, and those that wait for the database's answer, share one statement.
 * Announcements in flight are lost when a connection breaks; the process is then notified that it may have missed some.
 */
class ClusterAnnouncements {
  readonly #link: ClusterLink
  readonly #self = randomUUID().slice(0, 8)
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #missed = new Set<() => void>()
  /** Topic and detail as members of a JSON array, in order and without duplicates. */
  readonly #waiting = new Set<string>()
  #repeated = 0
  #isSending = false

  constructor(link: ClusterLink) {
    this.#link = link
    link.onNotification((payload) => this.#receive(payload))
    link.onReopened(() => this.miss())
  }

  announce(topic: string, detail?: string): void {
    // NOTE: equal announcements with a detail each count: they may be units of a rate limit.
    const repeated = detail === undefined ? '' : `,${this.#repeated++}`
    const member = `${JSON.stringify(topic)},${JSON.stringify(detail ?? '')}${repeated}`
    if (this.#waiting.size >= MAX_WAITING) {
      this.#waiting.clear()
      this.#waiting.add(`"${DROPPED}",""`)
    } else if (Buffer.byteLength(member) < MAX_PAYLOAD / 2) this.#waiting.add(member)
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => void this.#send())
  }

  listen(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  onMissed(listener: () => void): () => void {
    this.#missed.add(listener)
    return () => this.#missed.delete(listener)
  }

  /** Notifies the listeners of this process that announcements may have been missed. */
  miss(): void {
    for (const listener of this.#missed) listener()
  }

  /** Sends the queued announcements. */
  flush(): Promise<void> {
    return this.#send()
  }

  async #send(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        const session = await this.#link.session()
        await this.#link.query(session, NOTIFY, [this.#take()])
      }
    } catch {
      // The next announcement tries again; the others poll the database from time to time.
    } finally {
      this.#isSending = false
    }
  }

  #take(): string {
    let text = `["${this.#self}"`
    for (const member of this.#waiting) {
      if (Buffer.byteLength(text) + Buffer.byteLength(member) > MAX_PAYLOAD) break
      text += `,[${member}]`
      this.#waiting.delete(member)
    }
    return `${text}]`
  }

  #receive(payload: string): void {
    const [from, ...members] = parsePayload(payload)
    if (from === this.#self) return
    for (const [topic, detail] of members) {
      if (topic === DROPPED) this.miss()
      else for (const listener of this.#listeners.get(topic) ?? []) listener(detail)
    }
  }
}

/** Sender, then topics with details. Every database user may notify, so anything but an array is ignored. */
function parsePayload(payload: string): readonly [string?, ...(readonly [string, string])[]] {
  try {
    const parsed: unknown = JSON.parse(payload)
    return Array.isArray(parsed) ? (parsed as [string, ...[string, string][]]) : []
  } catch {
    return []
  }
}

interface ClusterOptions extends Omit<ClusterLinkOptions, 'member'> {
  /** Absolute path of the nodes' shared directory, which may differ on each node. */
  readonly dataDir: string
}

interface Cluster {
  readonly processes: Processes
  close(): Promise<void>
}

/** Adds this process to the cluster. `local` is the interface to the processes of its own machine. */
export async function joinCluster(options: ClusterOptions, local: Processes): Promise<Cluster> {
  const member = nameMember(options.node)
  const link = await ClusterLink.open({ ...options, member })
  const announcements = new ClusterAnnouncements(link)
  const announcer = {
    announce: (topic: string, detail?: string) => announcements.announce(topic, detail),
    onAnnounced: (topic: string, listener: (detail: string) => void) => announcements.listen(topic, listener),
    onMissed: (listener: () => void) => announcements.onMissed(listener),
  }
  const locks = new ClusterLocks(link, announcer)
  const members = new ClusterMembers(link, announcer, member)
  const onEnded: Processes['onEnded'] = (listener) =>
    members.onEnded((names) => {
      // Their last changes may not have been announced.
      if (names.length > 0) announcements.miss()
      listener(names)
    })
  // NOTE: names of locks contain paths.
  const sharedName = (name: string): string => name.replace(options.dataDir, '')
  return {
    processes: {
      ...local,
      ...announcer,
      startedAt: 0,
      acrossMachines: true,
      self: member,
      ended: (names) => members.ended(names),
      onEnded,
      otherNodes: async () => link.listNodes(await link.session()),
      locks: {
        lock: (name, mode) => locks.lock(sharedName(name), mode),
        tryLock: (name, mode) => locks.tryLock(sharedName(name), mode),
      },
    },
    async close() {
      members.close()
      await announcements.flush()
      await link.close()
    },
  }
}
