import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { isRead } from '../is-read.ts'
import type { Viewer } from '../../access/viewer.ts'
import { engineErrors } from '../../platform/errors.ts'
import { isDigestOf, parseDigest, type SignableRequest } from '../../platform/http/signature.ts'

/** The parts of a request that an HTTP signature may cover; undefined without a signature. */
export function signedRequest(request: FastifyRequest, rootUrl: string): SignableRequest | undefined {
  if (request.headers['signature'] === undefined || request.state.isSignatureRefused) return undefined
  return signableRequest(request, rootUrl)
}

/** NOTE: a proxy that serves Ingot below a path removes the path; the client signs the path that it requested. */
export const signableRequest = (request: FastifyRequest, rootUrl: string): SignableRequest => ({
  method: request.method,
  target: new URL(rootUrl).pathname.replace(/\/$/, '') + request.raw.url!,
  headers: request.headers,
})

/**
 * Whether the body is the one covered by the HTTP signature of the caller. If not, the signature is
 * invalid: the caller must be identified again by other credentials of the request, if any. The body of
 * an upload is checked after it has been read: see `requireSignedBody`.
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

/** NOTE: the body of a GET is never read and has no effect. */
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
  raw.pause() // NOTE: a listener would start the flow before the handler reads.
  request.state.signedBodyCheck = async () => {
    if (!raw.readableEnded) await finished(raw, { writable: false })
    if (hashes.length === 0 || !hashes.every(({ hash, digest }) => hash.digest().equals(digest)))
      throw engineErrors.tokenRequired()
  }
}

/** Waits for the end of the body of an upload; throws Unauthenticated if it is not the signed body. */
export const requireSignedBody = async (request: FastifyRequest): Promise<void> => request.state.signedBodyCheck?.()

/** The source of an upload; throws Unauthenticated at its end if it is not the signed body. */
export async function* signedSource(
  request: FastifyRequest,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* source
  await requireSignedBody(request)
}
