import type { Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import {
  type AppendSignal,
  type DomainEvent,
  EventFollower,
  type FollowedEvent,
  type MissedEvents,
} from '../../events/index.ts'
import { type ApiResponse, bytes } from '../../http/answer/answer.ts'
import type { Reauthorization } from '../../http/operation.ts'
import type { Clock } from '../../platform/clock.ts'
import { createPauses } from '../../platform/concurrency/pauses.ts'
import { engineErrors } from '../../platform/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import { accountOfCredentials, mayChangeAccess } from './access-changes.policy.ts'
import { ClientStream, Listener, greeting, type Message, readLastEventId, resetMessage } from './client-stream.ts'
import type { StreamLimits } from './stream-limits.ts'
import { setTimeout as sleep } from 'node:timers/promises'

/** Several changes within this time authorize each listener again once. */
const PAUSE_MS = 300

/** Admits listeners again whose rights may have changed, one after the other. */
class Renewals {
  readonly #listeners: ReadonlySet<Listener>
  #running: Promise<void> | undefined

  constructor(listeners: ReadonlySet<Listener>) {
    this.#listeners = listeners
  }

  /** Does nothing when no listener is stale. */
  start(): void {
    if (this.#running === undefined && this.#stale().length > 0) this.#running = this.#run()
  }

  /** Resolves when it is not running; the streams were ended before. */
  async stopped(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    const pause = createPauses()
    for (let stale = this.#stale(); stale.length > 0; stale = this.#stale()) {
      await sleep(PAUSE_MS)
      for (const listener of stale) {
        await listener.isAdmitted()
        await pause()
      }
    }
    this.#running = undefined
  }

  #stale(): Listener[] {
    return [...this.#listeners].filter(({ isStale, stream }) => isStale && stream.isOpen)
  }
}

/** The messages that streams of one kind send for new events. */
export interface StreamPublisher {
  wants(event: FollowedEvent): boolean
  /** Sends the messages of the events to its ready listeners. */
  publish(events: readonly DomainEvent[]): Promise<void>
}

/** The subject of one stream. */
export interface Channel<Access> {
  /** The publisher sends messages to the listener until the function is called that it returns. */
  join(listener: Listener<Access>): () => void
  /** The events after the one of an id; undefined when they have been deleted. */
  missed(id: number): Promise<MissedEvents | undefined>
  /** The messages of the events for the listener, which may read each one when it is sent. */
  read(events: readonly DomainEvent[], listener: Listener<Access>): AsyncIterable<Message>
  /** Messages that are sent to a client that resumes; with more it has to read again. */
  readonly maxMissed: number
}

/**
 * The messages of one stream that are no events, after the one of an id; the signal aborts when the client has left.
 * They are read at the pace of the client, and the stream ends after the last one.
 */
export type Feed = (after: number | undefined, signal: AbortSignal) => AsyncIterable<Message>

interface StreamRequest<Access> {
  readonly viewer: Viewer
  readonly access: Access
  readonly reauthorization: Reauthorization<Access>
  readonly network: string
  /** The header as the client sent it. */
  readonly lastEventId: string | string[] | undefined
}

/** Streams of events to clients (behaviour/repositories#event-stream). Each process has those of its clients. */
export interface Streams {
  /** Open ones. */
  readonly count: number
  /** Whether new events are read. */
  readonly isFollowing: boolean
  /** Publishers are added while the server starts. */
  addPublisher(publisher: StreamPublisher): void
  /** Throws TooManyRequests. */
  open<Access>(request: StreamRequest<Access>, channel: Channel<Access>): Promise<ApiResponse>
  /** Throws TooManyRequests. */
  openFeed<Access>(request: StreamRequest<Access>, feed: Feed): Promise<ApiResponse>
  /** Ends every stream, and opens no others. */
  close(): Promise<void>
}

interface StreamsDeps {
  readonly database: Database
  readonly events: AppendSignal
  readonly clock: Clock
  readonly log: Logger
  readonly limits: StreamLimits
  readonly settings: { readonly heartbeat: number; readonly maxAge: number; readonly buffer: number }
}

const HEADERS = {
  'content-type': 'text/event-stream;charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // For nginx, which would collect the lines otherwise.
  'x-accel-buffering': 'no',
}
/** Milliseconds until a commit of another process is sent. */
const POLL_MS = 500
/** Milliseconds after which a client that reads nothing is disconnected while messages of a feed wait. */
const MAX_STALL_MS = 60_000
/** Milliseconds after which every listener is authorized again: tokens expire without an event. */
const RENEW_MS = 60_000

export const createStreams = (deps: StreamsDeps): Streams => new StreamHub(deps)

class StreamHub implements Streams {
  readonly #deps: StreamsDeps
  readonly #publishers: StreamPublisher[] = []
  readonly #listeners = new Set<Listener>()
  readonly #renewals = new Renewals(this.#listeners)
  #follower: { readonly events: EventFollower; readonly started: Promise<void> } | undefined
  #stopping = Promise.resolve()
  #heartbeat: NodeJS.Timeout | undefined
  #beating = Promise.resolve()
  #renewedAt = 0
  #isClosed = false

  constructor(deps: StreamsDeps) {
    this.#deps = deps
  }

  get count(): number {
    return this.#listeners.size
  }

  get isFollowing(): boolean {
    return this.#follower !== undefined
  }

  addPublisher(publisher: StreamPublisher): void {
    this.#publishers.push(publisher)
  }

  open<Access>(request: StreamRequest<Access>, channel: Channel<Access>): Promise<ApiResponse> {
    return this.#open(request, {
      join: (listener) => channel.join(listener),
      begin: (listener, events, id) => this.#begin({ listener, channel, events, id }),
    })
  }

  openFeed<Access>(request: StreamRequest<Access>, feed: Feed): Promise<ApiResponse> {
    const disconnected = new AbortController()
    return this.#open(request, {
      join: () => () => disconnected.abort(),
      begin: (listener, _, id) => feedTo(listener, feed(Number.isNaN(id) ? undefined : id, disconnected.signal)),
    })
  }

  async #open<Access>(request: StreamRequest<Access>, { join, begin }: Opening<Access>): Promise<ApiResponse> {
    if (this.#isClosed) throw engineErrors.serverStopping()
    const { viewer, access, reauthorization, network } = request
    const { clock, limits, settings } = this.#deps
    const release = limits.take({ accountId: reauthorization.requesterId, network })
    const stream = new ClientStream(settings.buffer)
    const listener = new Listener<Access>({ viewer, access, reauthorization, stream, now: clock.now() })
    const leave = join(listener)
    this.#listeners.add(listener as Listener)
    stream.once('close', () => {
      leave()
      release()
      this.#leave(listener as Listener)
    })
    try {
      const events = await this.#follow()
      // NOTE: changes since the authorization of the request may precede the first event that is read.
      listener.markStale()
      this.#renewals.start()
      begin(listener, events, readLastEventId(request.lastEventId)).catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'stream ended by an error')
        stream.destroy()
      })
      return bytes(stream, HEADERS)
    } catch (error) {
      stream.destroy()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const listener of this.#listeners) listener.end('restart')
    this.#stopFollowing()
    await Promise.all([this.#stopping, this.#beating, this.#renewals.stopped()])
  }

  /** Sends the events that the client missed, page by page, until it has all that the follower has read. */
  async #begin<Access>({ listener, channel, events, id }: Beginning<Access>): Promise<void> {
    const { stream } = listener
    if (id === undefined) {
      stream.write(greeting(events.position))
      return listener.goLive(events.position)
    }
    stream.write(greeting(undefined))
    const reset = (reason: 'too-much' | 'unknown-id'): void => {
      stream.write(resetMessage(events.position, reason))
      listener.goLive(events.position)
    }
    const missed = Number.isNaN(id) ? undefined : await channel.missed(id)
    if (missed === undefined) return reset('unknown-id')
    let sent = 0
    for (let after = id; after < events.position;) {
      const upTo = events.position
      const page = await missed.page(after, upTo)
      if (!(await listener.isAdmitted())) return
      for await (const message of channel.read(page, listener)) {
        if (!stream.isOpen) return
        if (++sent > channel.maxMissed) return reset('too-much')
        stream.write(message.bytes)
        await stream.drained()
      }
      after = page.at(-1)?.id ?? upTo
    }
    listener.goLive(Math.max(id, events.position))
  }

  /** The follower of events, which runs while there are listeners. */
  async #follow(): Promise<EventFollower> {
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#deps.settings.heartbeat * 1000).unref()
    this.#follower ??= this.#startFollower()
    const follower = this.#follower
    await follower.started
    return follower.events
  }

  #startFollower(): { events: EventFollower; started: Promise<void> } {
    const { database, events, log } = this.#deps
    const follower = new EventFollower(
      { database, events, log, interval: POLL_MS },
      {
        wants: (event) => mayChangeAccess(event) || this.#publishers.some((publisher) => publisher.wants(event)),
        take: (some) => this.#take(some),
        fail: () => this.#endAll(),
      },
    )
    const started = follower.start().catch((error: unknown) => {
      this.#follower = undefined
      throw error
    })
    return { events: follower, started }
  }

  #stopFollowing(): void {
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
    const follower = this.#follower
    this.#follower = undefined
    if (follower !== undefined) this.#stopping = Promise.all([this.#stopping, follower.events.stop()]).then(() => {})
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.#stopFollowing()
  }

  #endAll(): void {
    for (const listener of this.#listeners) listener.end('restart')
  }

  async #take(events: readonly DomainEvent[]): Promise<void> {
    for (const event of events) if (mayChangeAccess(event)) this.#markStale(event)
    for (const publisher of this.#publishers) await publisher.publish(events.filter((event) => publisher.wants(event)))
    this.#renewals.start()
  }

  #markStale(event: DomainEvent): void {
    const accountId = accountOfCredentials(event)
    for (const listener of this.#listeners)
      if (accountId === undefined) listener.markStale()
      else listener.markCredentials(accountId)
  }

  /** Keeps connections open, ends streams that are old enough, and authorizes listeners again after a while. */
  #beat(): void {
    const now = this.#deps.clock.now()
    const isDue = now - this.#renewedAt >= RENEW_MS
    if (isDue) this.#renewedAt = now
    for (const listener of this.#listeners) {
      if (now - listener.openedAt >= this.#deps.settings.maxAge * 1000) listener.end('expired')
      else if (isDue) listener.markStale()
    }
    this.#renewals.start()
    this.#beating = this.#sendHeartbeats()
  }

  async #sendHeartbeats(): Promise<void> {
    const pause = createPauses()
    for (const listener of this.#listeners) {
      const delivered = this.#follower?.events.delivered
      if (delivered !== undefined) listener.sendHeartbeat(delivered)
      await pause()
    }
  }
}

/** How a stream of one kind starts. */
interface Opening<Access> {
  /** Adds the listener; returns a function to call at the end of the stream. */
  join(listener: Listener<Access>): () => void
  /** Sends what the client does not have; `id`: see `readLastEventId`. */
  begin(listener: Listener<Access>, events: EventFollower, id: number | undefined): Promise<void>
}

/** Sends the messages of a feed. A client that does not read for a while is disconnected. */
async function feedTo<Access>(listener: Listener<Access>, messages: AsyncIterable<Message>): Promise<void> {
  const { stream } = listener
  stream.write(greeting(undefined))
  for await (const message of messages) {
    if (!(await listener.isAdmitted())) return
    stream.write(message.bytes)
    const stalled = setTimeout(() => stream.destroy(), MAX_STALL_MS)
    await stream.drained()
    clearTimeout(stalled)
  }
  listener.end('finished')
}

interface Beginning<Access> {
  readonly listener: Listener<Access>
  readonly channel: Channel<Access>
  readonly events: EventFollower
  readonly id: number | undefined
}
