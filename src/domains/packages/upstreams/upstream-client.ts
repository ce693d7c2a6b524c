import { FairQueue } from '../../../core/platform/concurrency/fair-queue.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import { unavailable } from '../../../core/platform/errors.ts'
import { isOutgoingError, type OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import { errors } from '../../errors.ts'
import type { Upstream } from './upstream.store.ts'

export const CREDENTIALS_CONTEXT = 'package_upstream.credentials'
const MAX_REDIRECTS = 5
const IDLE_MS = 30_000

interface UpstreamRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes. */
  readonly maxBytes: number
  /** Milliseconds. */
  readonly timeout: number
}

export interface UpstreamAnswer {
  readonly isUnmodified: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Buffer>
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>

/** Requests to upstreams, a few of each at once. */
export function createUpstreamClient(client: OutgoingClient, secrets: SecretBox) {
  const queue = new FairQueue({
    what: 'packages are being fetched',
    atOnce: 32,
    atOncePerCaller: 16,
    maxWaiting: 1024,
    maxWaitingPerCaller: 256,
  })
  return {
    /**
     * Credentials go to the server of the upstream alone. Throws NotFound for what the upstream does not have,
     * Unavailable when it has no other answer, and what `take` throws.
     */
    fetch: <T>(
      { id, url: root, credentials }: Upstream,
      { url, headers, ...limits }: UpstreamRequest,
      take: (answer: UpstreamAnswer) => Promise<T>,
    ): Promise<T> =>
      queue.run(String(id), async () => {
        const isOwn = credentials !== '' && new URL(url).origin === new URL(root).origin
        const authorization = isOwn && { authorization: secrets.open(credentials, CREDENTIALS_CONTEXT) }
        const request = {
          ...limits,
          idle: IDLE_MS,
          maxRedirects: MAX_REDIRECTS,
          headers: { ...headers, ...authorization },
        }
        try {
          return await client.stream(url, request, async (answer) => {
            if (answer.status === 404 || answer.status === 410) throw errors.packageNotFound()
            if (answer.status !== 200 && answer.status !== 304)
              throw unavailable(`the upstream registry answered with status ${answer.status}`)
            return take({ ...answer, isUnmodified: answer.status === 304 })
          })
        } catch (error) {
          if (isOutgoingError(error)) throw unavailable(`the upstream registry: ${error.message}`).causedBy(error)
          throw error
        }
      }),
  }
}
