/** What one event says on a stream, in the form of server-sent events. */
export interface Message {
  /** Of the event; what clients resume by. */
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
export const heartbeat = (id: number | undefined): string => `:\n${positionOf(id)}\n`

const positionOf = (id: number | undefined): string => (id === undefined ? '' : `id: ${id}\n`)

/**
 * Why the client must read again what it follows: `unknown-id`, the server has no such event or not all that followed;
 * `too-much`, more than it would send.
 */
export type ResetReason = 'too-much' | 'unknown-id'

/** What came before is not known; what follows comes after the id. */
export const resetMessage = (id: number, reason: ResetReason): string =>
  `id: ${id}\nevent: reset\ndata: ${JSON.stringify({ reason })}\n\n`

/**
 * `refused`: the caller may not read this any more. `expired`: the stream reached its maximum age. `restart`: the server stops, or lost
 * its place.
 */
export type EndReason = 'expired' | 'refused' | 'restart'

export const endMessage = (reason: EndReason): string => `event: end\ndata: ${JSON.stringify({ reason })}\n\n`

const ID = /^\d{1,15}$/

/** The id of the header; NaN for a text that is none, undefined without one. */
export function readLastEventId(text: string | string[] | undefined): number | undefined {
  const given = Array.isArray(text) ? text[0] : text
  if (given === undefined || given === '') return undefined
  return ID.test(given) ? Number(given) : Number.NaN
}
