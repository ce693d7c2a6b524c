import type { Viewer } from '../../access/viewer.ts'
import type { Admission } from '../../http/operation.ts'
import type { ClientStream } from './client-stream.ts'
import { type EndReason, endMessage, heartbeat, type Message } from './message.ts'

interface ListenerInput<Access> {
  readonly viewer: Viewer
  readonly access: Access
  readonly admission: Admission<Access>
  readonly stream: ClientStream
  /** Epoch milliseconds. */
  readonly now: number
}

/** A client with an open stream, and what it may read. */
export class Listener<Access = unknown> {
  readonly stream: ClientStream
  /** Epoch milliseconds. */
  readonly openedAt: number
  readonly #admission: Admission<Access>
  #viewer: Viewer
  #access: Access
  #isLive = false
  #isStale = false
  #renewing: Promise<void> | undefined
  #after = 0

  constructor({ viewer, access, admission, stream, now }: ListenerInput<Access>) {
    this.stream = stream
    this.openedAt = now
    this.#admission = admission
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

  /** What it may read may have changed. */
  markStale(): void {
    this.#isStale = true
  }

  /** The account of these credentials must be checked anew, which only a new request can do for some credentials. */
  markCredentials(accountId: number): void {
    if (this.#admission.callerId !== accountId) return
    if (this.#admission.renewsCredentials) this.markStale()
    else this.end('refused')
  }

  /** Whether it gets messages of new events, and what it may read is as stored now. */
  async isReady(): Promise<boolean> {
    return this.#isLive && (await this.isAdmitted())
  }

  /** Ends the stream when the caller may not read it any more, and returns false then. */
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
      const { viewer, access } = await this.#admission.renew()
      this.#viewer = viewer
      this.#access = access
    } catch {
      // NOTE: also when the database is away: the client comes back and gets the answer to its request.
      this.end('refused')
    } finally {
      this.#renewing = undefined
    }
  }

  /** Sends messages of new events, without those that it has. */
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
