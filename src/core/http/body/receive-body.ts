import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { tooLarge } from '../../platform/errors.ts'
import { isUrlEncoded } from './form.ts'
import { URLENCODED_BYTES } from './limits.ts'

/**
 * Bytes beyond the limit that are read and thrown away before the refusal: a client that finds the connection closed
 * while it sends loses the answer.
 */
const DISCARDED_BYTES = 8 * 1024 * 1024

/** Bytes of a body up to which its chunks are joined. */
const CHUNKS_BYTES = 1024 * 1024

/** What is there of a request that its operation is not yet admitted to. */
type Receiving = Pick<FastifyRequest, 'headers' | 'state'>

/** Bytes that the body of a request may have; `max` is `server.body_limit`. */
export function bodyLimit({ headers, state }: Receiving, max: number): number {
  const own = state.match!.operation.bodyLimit
  return Math.min(max, own, isUrlEncoded(headers) ? URLENCODED_BYTES : Infinity)
}

/**
 * The bytes of a body in one piece. Throws TooLarge for more than `limit`: before any is kept when the client announces
 * its length, else as soon as more have come.
 */
export async function receiveBody(payload: Readable, announced: number, limit: number): Promise<Buffer> {
  // NOTE: an error is expensive, since it records the stack: made only when it is thrown.
  const refusal = () => tooLarge(`the request body is larger than ${limit} bytes`)
  if (announced > limit + DISCARDED_BYTES) throw refusal()
  // NOTE: chunks that are joined in the end take twice the memory for a moment.
  const whole = announced > CHUNKS_BYTES && announced <= limit ? Buffer.allocUnsafeSlow(announced) : undefined
  const chunks: Buffer[] = []
  let size = 0
  await new Promise<void>((resolve, reject) => {
    payload.on('data', (chunk: Buffer) => {
      const at = size
      size += chunk.length
      if (whole !== undefined) chunk.copy(whole, at)
      else if (size <= limit) chunks.push(chunk)
      else if (size > limit + DISCARDED_BYTES) reject(refusal())
      else chunks.length = 0
    })
    payload.once('end', resolve)
    payload.once('error', reject)
  })
  if (size > limit) throw refusal()
  return whole ?? Buffer.concat(chunks, size)
}
