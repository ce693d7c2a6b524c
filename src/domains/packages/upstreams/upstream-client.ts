import { FairQueue } from '../../../core/platform/concurrency/fair-queue.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import { unavailable } from '../../../core/platform/errors.ts'
import { isOutgoingError, type OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import { errors } from '../../errors.ts'
import { findUpstreamFormat } from './upstream-formats.ts'
import { fetchToken, mayHaveCredentials, tokenAddressOf } from './upstream-tokens.ts'
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
     * Credentials are sent to the server of the upstream, and to the token server that it names. Throws NotFound if the
     * upstream does not have it, Unavailable for all other failures, and what `take` throws.
     */
    async fetch<T>(
      upstream: Upstream,
      { url, headers, ...limits }: UpstreamRequest,
      take: (answer: UpstreamAnswer) => Promise<T>,
    ): Promise<T> {
      const { id, type, url: root, credentials } = upstream
      const hasTokens = findUpstreamFormat(type)?.hasTokens === true
      const own = (isFor: boolean): Record<string, string> =>
        isFor && credentials !== '' ? { authorization: secrets.open(credentials, CREDENTIALS_CONTEXT) } : {}

      const send = (
        authorization: Record<string, string>,
      ): Promise<{ readonly value: T } | { readonly token: URL }> => {
        const sent = { ...headers, ...authorization }
        const request = { ...limits, idle: IDLE_MS, maxRedirects: MAX_REDIRECTS, headers: sent }
        return client.stream(url, request, async (answer) => {
          const token = hasTokens ? tokenAddressOf(answer, root) : undefined
          if (token !== undefined) return { token }
          if (answer.status === 404 || answer.status === 410) throw errors.packageNotFound()
          if (answer.status !== 200 && answer.status !== 304)
            throw unavailable(`the upstream registry answered with status ${answer.status}`)
          return { value: await take({ ...answer, isUnmodified: answer.status === 304 }) }
        })
      }

      return queue.run(String(id), async () => {
        try {
          const first = await send(own(new URL(url).origin === new URL(root).origin))
          if ('value' in first) return first.value
          const token = await fetchToken(client, first.token, own(mayHaveCredentials(first.token, root)))
          const second = await send({ authorization: `Bearer ${token}` })
          if ('value' in second) return second.value
          // Registries do not distinguish private images from missing ones.
          throw errors.packageNotFound()
        } catch (error) {
          if (isOutgoingError(error)) throw unavailable(`the upstream registry: ${error.message}`).causedBy(error)
          throw error
        }
      })
    },
  }
}
