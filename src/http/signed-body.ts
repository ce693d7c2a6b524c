import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import type { Viewer } from '../access/viewer.ts'
import { unauthenticated } from '../platform/errors.ts'
import { isDigestOf, parseDigest, type SignableRequest } from '../platform/http-signature.ts'
import type { Operation } from './operation.ts'

/** Requests whose signature was found to be over another body. */
const otherBody = new WeakSet<FastifyRequest>()
/** What settles when the whole body of an upload has gone by and is the signed one. */
const goingBy = new WeakMap<FastifyRequest, () => Promise<void>>()

/** What an HTTP signature of a request may cover; undefined when there is none to look at. */
export function signedRequest(request: FastifyRequest, rootUrl: string): SignableRequest | undefined {
  if (request.headers['signature'] === undefined || otherBody.has(request)) return undefined
  // NOTE: a proxy that serves us below a path takes it off before we see it; the client signs what it asked for.
  return {
    method: request.method,
    target: new URL(rootUrl).pathname.replace(/\/$/, '') + request.raw.url!,
    headers: request.headers,
  }
}

/**
 * Whether the body that was read is the one that a caller by HTTP signature signed. False takes the signature's word
 * away: the request goes on with the other credentials it has, or none. Of uploads that is known only when they have
 * streamed by.
 */
export function hasSignedBody(viewer: Viewer, request: FastifyRequest, { checksDigest }: Operation): boolean {
  if (viewer.kind === 'anonymous' || viewer.method !== 'http-signature' || !hasBody(request)) return true
  if (checksDigest) {
    watch(request)
    return true
  }
  if (
    isDigestOf(parseDigest(request.headers['digest']), Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
  )
    return true
  otherBody.add(request)
  return false
}

/** NOTE: the body of a GET is never read, so that nothing depends on it. */
const hasBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (Number(headers['content-length'] ?? 0) > 0 ||
    headers['transfer-encoding'] !== undefined ||
    headers['digest'] !== undefined)

function watch(request: FastifyRequest): void {
  const digests = parseDigest(request.headers['digest'])
  const hashes = [...digests].map(([name, digest]) => ({ hash: createHash(name), digest }))
  const { raw } = request
  raw.on('data', (chunk: Buffer) => {
    for (const { hash } of hashes) hash.update(chunk)
  })
  raw.pause() // NOTE: listening alone would let it flow before the handler reads.
  goingBy.set(request, async () => {
    if (!raw.readableEnded) await finished(raw, { writable: false })
    if (hashes.length === 0 || !hashes.every(({ hash, digest }) => hash.digest().equals(digest)))
      throw unauthenticated()
  })
}

/** Throws unauthenticated when the body, all of it read by now or about to be, is not the one that was signed. */
export const requireSignedBody = async (request: FastifyRequest): Promise<void> => goingBy.get(request)?.()

/**
 * The source of an upload. It ends when it is known that it is the signed one, and throws unauthenticated when it is
 * not.
 */
export async function* signedSource(
  request: FastifyRequest,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* source
  await requireSignedBody(request)
}
