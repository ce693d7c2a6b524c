import type { Viewer } from '../../access/viewer.ts'
import type { Reauthorization } from '../../http/operation.ts'
import { Readable } from 'node:stream'

/** The body of an answer that is written while the client reads it. It never waits for a client that reads slowly. */
export class ClientStream extends Readable {
  readonly #max: number
  #isEnding = false
  #proceed: (() => void) | undefined

  /** `max`: bytes that wait for the client. */
  constructor(max: number) {
    super({ highWaterMark: max })
    this.#max = max
  }

  get isOpen(): boolean {
    return !this.destroyed && !this.readableEnded && !this.#isEnding
  }

  // Bytes are pushed when they come.
  override _read(): void {}

  /** NOTE: `_read` is not called again until something was pushed, for which `drained` may be waited. */
  override read(size?: number): unknown {
    const bytes: unknown = super.read(size)
    this.#proceed?.()
    return bytes
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#proceed?.()
    done(error)
  }

  /** Ends the stream at once when too much waits for the client already. */
  write(bytes: Buffer | string): void {
    if (!this.isOpen) return
    if (this.readableLength > this.#max) this.destroy()
    else this.push(bytes)
  }

  /** Resolves when few bytes wait for the client, or it has disconnected. */
  async drained(): Promise<void> {
    while (this.isOpen && this.readableLength > this.#max / 2)
      await new Promise<void>((resolve) => {
        this.#proceed = resolve
      })
    this.#proceed = undefined
  }

  /** Sends the waiting bytes to the client, then ends the stream. */
  end(last: string): void {
    if (!this.isOpen) return
    this.push(last)
    this.#isEnding = true
    this.push(null)
  }
}

/** The message of one event on a stream, in the form of server-sent events. */
export interface Message {
  /** The id of the event, by which clients resume. */
  readonly id: number
  readonly bytes: Buffer
}

/** Milliseconds after which clients connect again. */
const RETRY_MS = 2000

export const dataMessage = (id: number, data: object): Message => textMessage(id, JSON.stringify(data))

/** `json` has no line breaks. */
export const textMessage = (id: number, json: string): Message => ({
  id,
  bytes: Buffer.from(`id: ${id}\ndata: ${json}\n\n`),
})

/** The first lines of every stream; without an id a client keeps the one that it has. */
export const greeting = (id: number | undefined): string => `retry: ${RETRY_MS}\n${positionOf(id)}\n`

/** A comment, which clients skip; with an id a client that got no message can resume there. */
const heartbeat = (id: number | undefined): string => `:\n${positionOf(id)}\n`

const positionOf = (id: number | undefined): string => (id === undefined ? '' : `id: ${id}\n`)

/**
 * Why the client must read the lists again: `unknown-id`, the server does not have that event, or not all that
 * followed; `too-much`, more events than it sends.
 */
export type ResetReason = 'too-much' | 'unknown-id'

/** Events before the id may have been missed; messages after this one are of later events. */
export const resetMessage = (id: number, reason: ResetReason): string =>
  `id: ${id}\nevent: reset\ndata: ${JSON.stringify({ reason })}\n\n`

/**
 * `refused`: the caller may no longer read this. `expired`: the stream reached its maximum age. `restart`: the server
 * stops, or lost its place. `finished`: nothing more comes.
 */
export type EndReason = 'expired' | 'finished' | 'refused' | 'restart'

const endMessage = (reason: EndReason): string => `event: end\ndata: ${JSON.stringify({ reason })}\n\n`

const ID = /^\d{1,15}$/

/** The id of the header; NaN for an invalid text, undefined without a header. */
export function readLastEventId(text: string | string[] | undefined): number | undefined {
  const given = Array.isArray(text) ? text[0] : text
  if (given === undefined || given === '') return undefined
  return ID.test(given) ? Number(given) : Number.NaN
}

interface ListenerInput<Access> {
  readonly viewer: Viewer
  readonly access: Access
  readonly reauthorization: Reauthorization<Access>
  readonly stream: ClientStream
  /** Epoch milliseconds. */
  readonly now: number
}

/** A client with an open stream, and its access. */
export class Listener<Access = unknown> {
  readonly stream: ClientStream
  /** Epoch milliseconds. */
  readonly openedAt: number
  readonly #reauthorization: Reauthorization<Access>
  #viewer: Viewer
  #access: Access
  #isLive = false
  #isStale = false
  #renewing: Promise<void> | undefined
  #after = 0

  constructor({ viewer, access, reauthorization, stream, now }: ListenerInput<Access>) {
    this.stream = stream
    this.openedAt = now
    this.#reauthorization = reauthorization
    this.#viewer = viewer
    this.#access = access
  }

  get viewer(): Viewer {
    return this.#viewer
  }

  get access(): Access {
    return this.#access
  }

  get isStale(): boolean {
    return this.#isStale
  }

  /** Gets messages of new events from now on; it has all up to `after`. */
  goLive(after: number): void {
    this.#after = after
    this.#isLive = true
  }

  /** The access of the client may have changed. */
  markStale(): void {
    this.#isStale = true
  }

  /** The account of these credentials must be checked again; for some credentials only a new request can do that. */
  markCredentials(accountId: number): void {
    if (this.#reauthorization.requesterId !== accountId) return
    if (this.#reauthorization.renewsCredentials) this.markStale()
    else this.end('refused')
  }

  /** Whether it receives messages of new events, and its access is current. */
  async isReady(): Promise<boolean> {
    return this.#isLive && (await this.isAdmitted())
  }

  /** Ends the stream and returns false if the caller may no longer read it. */
  async isAdmitted(): Promise<boolean> {
    while (this.stream.isOpen && (this.#isStale || this.#renewing !== undefined)) {
      this.#renewing ??= this.#renew()
      await this.#renewing
    }
    return this.stream.isOpen
  }

  async #renew(): Promise<void> {
    // NOTE: first, so that a change while it is read counts again.
    this.#isStale = false
    try {
      const { viewer, access } = await this.#reauthorization.renew()
      this.#viewer = viewer
      this.#access = access
    } catch {
      // NOTE: also when the database is unavailable: the client reconnects and gets the response to its request.
      this.end('refused')
    } finally {
      this.#renewing = undefined
    }
  }

  /** Sends messages of new events that the client does not have. */
  send(messages: readonly Message[]): void {
    for (const { id, bytes } of messages) {
      if (id <= this.#after) continue
      this.#after = id
      this.stream.write(bytes)
    }
  }

  /** `position`: all events up to it were sent. */
  sendHeartbeat(position: number): void {
    const isNew = this.#isLive && position > this.#after
    if (isNew) this.#after = position
    this.stream.write(heartbeat(isNew ? position : undefined))
  }

  end(reason: EndReason): void {
    this.stream.end(endMessage(reason))
  }
}

/** Adds a listener to those of the key. Returns the function that removes it again, and the key with its last one. */
export function addListener<Access>(
  listeners: Map<number, Set<Listener<Access>>>,
  key: number,
  listener: Listener<Access>,
): () => void {
  const ofKey = listeners.getOrInsertComputed(key, () => new Set())
  ofKey.add(listener)
  return () => {
    ofKey.delete(listener)
    if (ofKey.size === 0) listeners.delete(key)
  }
}
