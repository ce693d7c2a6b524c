import { setTimeout as sleep } from 'node:timers/promises'
import { eachAtOnce } from '../../../../core/platform/concurrency/each-at-once.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { isOutgoingError, type OutgoingClient } from '../../../../core/platform/outgoing/index.ts'
import type { RemoteVerdict } from '../objects/batch-answer.ts'
import { actionRequest, requestBatch, requestVerify, TransferProblem, type LfsServer } from './client-requests.ts'
import type { LfsObject } from '../lfs.store.ts'

export interface LfsExchange {
  readonly signal: AbortSignal
  /** Reports one object whose transfer failed; an error that it throws aborts the whole transfer. */
  failed(object: LfsObject, problem: string): void
}

export interface LfsClientDeps {
  readonly client: OutgoingClient
  /** The timeout of one object in milliseconds. */
  readonly timeout: number
  /** Milliseconds before the first retry of an object; the second retry waits three times as long. */
  readonly retryDelay?: number
}

interface ExchangeAll {
  readonly server: LfsServer
  readonly operation: 'download' | 'upload'
  readonly objects: readonly LfsObject[]
  readonly exchange: LfsExchange
}

/** The batch size of git-lfs. */
const BATCH = 100
const AT_ONCE = 3

export type LfsClient = ReturnType<typeof createLfsClient>

/**
 * A Git LFS client (Batch API, basic transfers). Transfers a few objects concurrently. Throws RemoteError and
 * OutgoingError if the server as a whole fails.
 */
export function createLfsClient({ client, timeout, retryDelay = 1000 }: LfsClientDeps) {
  async function exchangeAll(
    { server, operation, objects, exchange }: ExchangeAll,
    one: (verdict: RemoteVerdict, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    for (let at = 0; at < objects.length; at += BATCH) {
      const { signal } = exchange
      const verdicts = await requestBatch(client, {
        server,
        operation,
        objects: objects.slice(at, at + BATCH),
        signal,
      })
      await eachAtOnce(verdicts, { atOnce: AT_ONCE, signal }, async (verdict, each) => {
        try {
          if (verdict.problem !== undefined) throw new TransferProblem(verdict.problem)
          await retrying(() => one(verdict, each), { delay: retryDelay, signal: each })
        } catch (error) {
          const problem = problemOf(error)
          if (problem === undefined || each.aborted) throw error
          exchange.failed(verdict.object, problem)
        }
      })
    }
  }

  return {
    download: (
      server: LfsServer,
      objects: readonly LfsObject[],
      exchange: LfsExchange & { take(object: LfsObject, bytes: AsyncIterable<Uint8Array>): Promise<void> },
    ): Promise<void> =>
      exchangeAll({ server, operation: 'download', objects, exchange }, async ({ object, action }, signal) => {
        const { url, options } = actionRequest(action!, server, { timeout, signal })
        await client.stream(url, { ...options, maxBytes: object.size }, async ({ status, body }) => {
          if (status !== 200) throw new TransferProblem(`status ${status}`, status)
          await exchange.take(object, body)
        })
      }),
    /** Uploads the objects that the server lacks. */
    upload: (
      server: LfsServer,
      objects: readonly LfsObject[],
      exchange: LfsExchange & { open(object: LfsObject): Promise<AsyncIterable<Uint8Array>> },
    ): Promise<void> =>
      exchangeAll({ server, operation: 'upload', objects, exchange }, async ({ object, action, verify }, signal) => {
        if (action === undefined) return
        const { url, options } = actionRequest(action, server, { timeout, signal })
        const { status } = await client.request(url, {
          ...options,
          headers: { 'content-type': 'application/octet-stream', ...options.headers },
          method: 'PUT',
          body: { open: () => exchange.open(object), ...(!action.isChunked && { size: object.size }) },
        })
        if (status < 200 || status > 299) throw new TransferProblem(`status ${status}`, status)
        if (verify !== undefined)
          await requestVerify(client, object, actionRequest(verify, server, { timeout, signal }))
      }),
  }
}

const RETRIES = 2

/** Retries temporary failures. */
async function retrying(
  task: () => Promise<void>,
  { delay, signal }: { readonly delay: number; readonly signal: AbortSignal },
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await task()
    } catch (error) {
      const isPassing =
        error instanceof TransferProblem
          ? error.isPassing
          : isOutgoingError(error, 'unreachable') || isOutgoingError(error, 'timeout')
      if (!isPassing || tried > RETRIES || signal.aborted) throw error
      await sleep(delay * 3 ** (tried - 1), undefined, { signal })
    }
  }
}

/** The error of one object; undefined for an error that concerns all objects or this server. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof TransferProblem) return error.message
  if (isOutgoingError(error)) return error.kind === 'too-large' ? 'it is larger than announced' : error.message
  return isDomainError(error, 'invalid') ||
    isDomainError(error, 'not-found') ||
    isDomainError(error, 'too-large') ||
    isDomainError(error, 'quota-exceeded')
    ? error.message
    : undefined
}
