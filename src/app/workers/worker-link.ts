import type { LockMode, Release, SharedLocks } from '../../core/platform/concurrency/lock-table.ts'
import type { Processes } from '../../core/platform/concurrency/processes.ts'
import type { FromSupervisor, FromWorker } from './messages.ts'
import { OtherWorkers } from './other-workers.ts'

/** The channel to the supervisor, from `node:child_process`. */
export interface Channel {
  send(message: FromWorker): void
  /** Registers the only receiver. */
  onMessage(receive: (message: FromSupervisor) => void): void
}

/** A worker's connection to its supervisor. */
export interface WorkerLink {
  readonly processes: Processes
  /** Reports that this worker accepts requests. */
  ready(): void
  /** Resolves when this worker becomes the leader and runs events, jobs and the schedule. */
  readonly leading: Promise<void>
  /** Resolves when the whole server will stop. */
  readonly serverStopping: Promise<void>
  /** Resolves when this worker must stop. */
  readonly stopping: Promise<void>
}

type Answer = () => Promise<string>

/** Greets the supervisor and resolves with its welcome. */
export function connectToSupervisor(channel: Channel): Promise<WorkerLink> {
  const welcome = Promise.withResolvers<WorkerLink>()
  const leading = Promise.withResolvers<void>()
  const serverStopping = Promise.withResolvers<void>()
  const stopping = Promise.withResolvers<void>()
  const locks = new RemoteLocks(channel)
  const announcements = new Announcements(channel)
  const questions = new Questions(channel)
  const others = new OtherWorkers()
  channel.onMessage((message) => {
    if (message.kind === 'welcome') {
      const { count, isFirst, slot, startedAt } = message
      const self = others.meet(message)
      welcome.resolve({
        processes: {
          count,
          slot,
          isFirst,
          startedAt,
          serverStartedAt: startedAt,
          acrossMachines: false,
          self,
          ended: (names) => others.ended(names),
          onEnded: (listener) => others.onEnded(listener),
          locks,
          announce: (topic, detail) => announcements.announce(topic, detail),
          onAnnounced: (topic, listener) => announcements.listen(topic, listener),
          // A worker exits when its channel closes; a killed worker may have unsent announcements.
          onMissed: (listener) => others.onEnded((names) => names.length > 0 && listener()),
          otherNodes: async () => [],
          ask: (question) => questions.ask(question),
          answer: (question, give) => questions.answer(question, give),
        },
        ready: () => channel.send({ kind: 'ready' }),
        leading: leading.promise,
        serverStopping: serverStopping.promise,
        stopping: stopping.promise,
      })
    } else if (message.kind === 'lead') leading.resolve()
    else if (message.kind === 'stopping') serverStopping.resolve()
    else if (message.kind === 'stop') stopping.resolve()
    else if (message.kind === 'ended') others.end(message)
    else if (message.kind === 'locked') locks.settle(message.id, message.isGranted)
    else if (message.kind === 'announced') announcements.receive(message.topic, message.detail)
    else if (message.kind === 'asked') void questions.reply(message.id, message.question)
    else questions.settle(message.id, message.texts)
  })
  channel.send({ kind: 'hello' })
  return welcome.promise
}

/** The lock table of the supervisor, which releases the locks of a worker when it exits. */
class RemoteLocks implements SharedLocks {
  readonly #channel: Channel
  readonly #waiting = new Map<number, (release: Release | undefined) => void>()
  #next = 0

  constructor(channel: Channel) {
    this.#channel = channel
  }

  async lock(name: string, mode: LockMode): Promise<Release> {
    return (await this.#request(name, mode, true))!
  }

  tryLock(name: string, mode: LockMode): Promise<Release | undefined> {
    return this.#request(name, mode, false)
  }

  #request(name: string, mode: LockMode, wait: boolean): Promise<Release | undefined> {
    const id = this.#next++
    const { promise, resolve } = Promise.withResolvers<Release | undefined>()
    this.#waiting.set(id, resolve)
    this.#channel.send({ kind: 'lock', id, name, mode, wait })
    return promise
  }

  settle(id: number, isGranted: boolean): void {
    const resolve = this.#waiting.get(id)
    this.#waiting.delete(id)
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#channel.send({ kind: 'unlock', id })
    }
    resolve?.(isGranted ? release : undefined)
  }
}

class Announcements {
  readonly #channel: Channel
  readonly #listeners = new Map<string, Set<(detail: string) => void>>()
  /** Topics to announce in the next turn. */
  readonly #pending = new Set<string>()

  constructor(channel: Channel) {
    this.#channel = channel
  }

  announce(topic: string, detail?: string): void {
    if (detail !== undefined) return this.#channel.send({ kind: 'announce', topic, detail })
    if (this.#pending.has(topic)) return
    this.#pending.add(topic)
    setImmediate(() => {
      this.#pending.delete(topic)
      this.#channel.send({ kind: 'announce', topic, detail: '' })
    })
  }

  listen(topic: string, listener: (detail: string) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  receive(topic: string, detail: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener(detail)
  }
}

class Questions {
  readonly #channel: Channel
  readonly #answers = new Map<string, Answer>()
  readonly #asked = new Map<number, (texts: readonly string[]) => void>()
  #next = 0

  constructor(channel: Channel) {
    this.#channel = channel
  }

  answer(question: string, give: Answer): void {
    this.#answers.set(question, give)
  }

  ask(question: string): Promise<readonly string[]> {
    const id = this.#next++
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    this.#asked.set(id, resolve)
    this.#channel.send({ kind: 'ask', id, question })
    return promise
  }

  settle(id: number, texts: readonly string[]): void {
    this.#asked.get(id)?.(texts)
    this.#asked.delete(id)
  }

  /** NOTE: if this process does not answer in time, the supervisor answers without it. */
  async reply(id: number, question: string): Promise<void> {
    const text = await this.#answers
      .get(question)?.()
      .catch(() => undefined)
    if (text !== undefined) this.#channel.send({ kind: 'answer', id, text })
  }
}
