import { LockTable, type Release, type LockMode } from '../../core/platform/concurrency/lock-table.ts'

/** From a worker to the supervisor. `id` is chosen by the worker and repeated in the reply. */
export type FromWorker =
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'lock'
      readonly id: number
      readonly name: string
      readonly mode: LockMode
      readonly wait: boolean
    }
  | { readonly kind: 'unlock'; readonly id: number }
  | { readonly kind: 'announce'; readonly topic: string; readonly detail: string }
  | { readonly kind: 'ask'; readonly id: number; readonly question: string }
  | { readonly kind: 'answer'; readonly id: number; readonly text: string }

/** From the supervisor to a worker. */
export type FromSupervisor =
  | {
      readonly kind: 'welcome'
      readonly count: number
      readonly slot: number
      /** Numbers of this worker and of all running workers; numbers only increase. */
      readonly id: number
      readonly others: readonly number[]
      /** Identifies this run of the supervisor. */
      readonly run: string
      /** Start of the supervisor, in wall-clock milliseconds. */
      readonly startedAt: number
      readonly isFirst: boolean
    }
  /** From now on this worker runs events, jobs and the schedule. */
  | { readonly kind: 'lead' }
  /** The whole server will stop: report it to load balancers. */
  | { readonly kind: 'stopping' }
  /** Finish running work, then exit. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'locked'; readonly id: number; readonly isGranted: boolean }
  | { readonly kind: 'announced'; readonly topic: string; readonly detail: string }
  /** Another worker has exited; `isKilled` if it did not exit by itself. */
  | { readonly kind: 'ended'; readonly id: number; readonly isKilled: boolean }
  | { readonly kind: 'asked'; readonly id: number; readonly question: string }
  | { readonly kind: 'answers'; readonly id: number; readonly texts: readonly string[] }

/** A worker as the exchange sees it. */
export interface Peer {
  readonly id: number
  send(message: FromSupervisor): void
}

interface Question {
  readonly from: Peer
  readonly id: number
  /** Peers that have not answered. */
  readonly open: Set<number>
  readonly texts: string[]
  readonly timer: NodeJS.Timeout
}

const ANSWER_MS = 1000

/**
 * State shared by the workers, in the supervisor: one table of locks, announcements and questions to all
 * others. All state of a worker is deleted when it exits.
 */
export class Exchange {
  readonly #locks = new LockTable()
  readonly #peers = new Map<number, Peer>()
  /** Functions that release the lock or withdraw the request, by worker and request id. */
  readonly #held = new Map<number, Map<number, Release>>()
  readonly #questions = new Map<number, Question>()
  #nextQuestion = 0

  /** Number of names that are locked or requested. */
  get lockCount(): number {
    return this.#locks.size
  }

  add(peer: Peer): void {
    this.#peers.set(peer.id, peer)
    this.#held.set(peer.id, new Map())
  }

  /** The numbers of the workers. */
  get ids(): number[] {
    return [...this.#peers.keys()]
  }

  /** Releases the locks of a worker that has exited, and completes questions without its answer. */
  remove({ id }: Peer, isKilled: boolean): void {
    if (!this.#peers.delete(id)) return
    for (const other of this.#peers.values()) other.send({ kind: 'ended', id, isKilled })
    for (const release of this.#held.get(id)?.values() ?? []) release()
    this.#held.delete(id)
    for (const [number, question] of this.#questions) {
      question.open.delete(id)
      this.#answerIfComplete(number, question)
    }
  }

  receive(peer: Peer, message: FromWorker): void {
    if (!this.#peers.has(peer.id)) return
    if (message.kind === 'lock') this.#lock(peer, message)
    else if (message.kind === 'unlock') this.#unlock(peer, message.id)
    else if (message.kind === 'announce') {
      for (const other of this.#othersOf(peer))
        other.send({ kind: 'announced', topic: message.topic, detail: message.detail })
    } else if (message.kind === 'ask') this.#ask(peer, message.id, message.question)
    else if (message.kind === 'answer') this.#answered(peer, message.id, message.text)
  }

  #lock(peer: Peer, { id, name, mode, wait }: Extract<FromWorker, { readonly kind: 'lock' }>): void {
    const held = this.#held.get(peer.id)!
    let isGranted = false
    const withdraw = this.#locks.request(name, mode, (release) => {
      isGranted = true
      held.set(id, release)
      peer.send({ kind: 'locked', id, isGranted: true })
    })
    if (isGranted) return
    if (wait) held.set(id, withdraw)
    else {
      withdraw()
      peer.send({ kind: 'locked', id, isGranted: false })
    }
  }

  #unlock(peer: Peer, id: number): void {
    const held = this.#held.get(peer.id)!
    held.get(id)?.()
    held.delete(id)
  }

  #othersOf(peer: Peer): Peer[] {
    return [...this.#peers.values()].filter(({ id }) => id !== peer.id)
  }

  #ask(from: Peer, id: number, text: string): void {
    const number = this.#nextQuestion++
    const others = this.#othersOf(from)
    const timer = setTimeout(() => {
      question.open.clear()
      this.#answerIfComplete(number, question)
    }, ANSWER_MS).unref()
    const question: Question = { from, id, open: new Set(others.map((other) => other.id)), texts: [], timer }
    this.#questions.set(number, question)
    for (const other of others) other.send({ kind: 'asked', id: number, question: text })
    this.#answerIfComplete(number, question)
  }

  #answered({ id }: Peer, number: number, text: string): void {
    const question = this.#questions.get(number)
    if (question === undefined || !question.open.delete(id)) return
    question.texts.push(text)
    this.#answerIfComplete(number, question)
  }

  #answerIfComplete(number: number, { from, id, open, texts, timer }: Question): void {
    if (open.size > 0) return
    clearTimeout(timer)
    this.#questions.delete(number)
    if (this.#peers.has(from.id)) from.send({ kind: 'answers', id, texts })
  }
}
