import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { isRead } from '../is-read.ts'
import type { Viewer } from '../../access/viewer.ts'
import { engineErrors } from '../../platform/errors.ts'
import { isDigestOf, parseDigest, type SignableRequest } from '../../platform/http/signature.ts'

/** What an HTTP signature of a request may cover; undefined when there is none to look at. */
export function signedRequest(request: FastifyRequest, rootUrl: string): SignableRequest | undefined {
  if (request.headers['signature'] === undefined || request.state.isSignatureRefused) return undefined
  // NOTE: a proxy that serves us below a path takes it off before we see it; the client signs what it asked for.
  return {
    method: request.method,
    target: new URL(rootUrl).pathname.replace(/\/$/, '') + request.raw.url!,
    headers: request.headers,
  }
}

/**
 * Whether the body that was read is the one that a caller by HTTP signature signed. When it is false the signature does
 * not count any more: the caller must be identified again by the other credentials of the request, if any. The body of
 * an upload is checked when all of it was read: see `requireSignedBody`.
 */
export function hasSignedBody(
  viewer: Viewer,
  request: FastifyRequest,
  { checksDigest }: { readonly checksDigest: boolean },
): boolean {
  if (viewer.kind === 'anonymous' || viewer.method !== 'http-signature' || !hasBody(request)) return true
  if (checksDigest) {
    hashUpload(request)
    return true
  }
  if (
    isDigestOf(parseDigest(request.headers['digest']), Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
  )
    return true
  request.state.isSignatureRefused = true
  return false
}

/** NOTE: the body of a GET is never read, so that nothing depends on it. */
const hasBody = (request: FastifyRequest): boolean =>
  !isRead(request) &&
  (Number(request.headers['content-length'] ?? 0) > 0 ||
    request.headers['transfer-encoding'] !== undefined ||
    request.headers['digest'] !== undefined)

/** Hashes the body of an upload while the handler reads it. */
function hashUpload(request: FastifyRequest): void {
  const digests = parseDigest(request.headers['digest'])
  const hashes = [...digests].map(([name, digest]) => ({ hash: createHash(name), digest }))
  const { raw } = request
  raw.on('data', (chunk: Buffer) => {
    for (const { hash } of hashes) hash.update(chunk)
  })
  raw.pause() // NOTE: listening alone would let it flow before the handler reads.
  request.state.signedBodyCheck = async () => {
    if (!raw.readableEnded) await finished(raw, { writable: false })
    if (hashes.length === 0 || !hashes.every(({ hash, digest }) => hash.digest().equals(digest)))
      throw engineErrors.tokenRequired()
  }
}

/** Waits for the end of the body of an upload; throws Unauthenticated when it is not the one that was signed. */
export const requireSignedBody = async (request: FastifyRequest): Promise<void> => request.state.signedBodyCheck?.()

/** The source of an upload; throws Unauthenticated at its end when it is not the one that was signed. */
export async function* signedSource(
  request: FastifyRequest,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* source
  await requireSignedBody(request)
}
