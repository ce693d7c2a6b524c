import { setTimeout as sleep } from 'node:timers/promises'
import { RemoteError } from '../../git/index.ts'
import { eachAtOnce } from '../../platform/each-at-once.ts'
import { isDomainError } from '../../platform/errors.ts'
import { isOutgoingError, type OutgoingClient } from '../../platform/outgoing/index.ts'
import { readBatchAnswer, type RemoteAction, type RemoteVerdict } from './batch-answer.ts'
import type { LfsObject } from './lfs.store.ts'

/** The large files of a repository on another server. */
export interface LfsServer {
  /** Such as `https://host/owner/repo.git/info/lfs`. */
  readonly url: string
  /** The header; sent to this origin alone. */
  readonly authorization: string | undefined
}

export interface LfsExchange {
  readonly signal: AbortSignal
  /** One object that did not go through; what it throws ends the whole. */
  failed(object: LfsObject, problem: string): void
}

/**
 * Git LFS as a client (Batch API, basic transfers). Objects go side by side, a few at a time. Throws RemoteError and
 * OutgoingError when the server as a whole fails.
 */
export interface LfsClient {
  download(
    server: LfsServer,
    objects: readonly LfsObject[],
    exchange: LfsExchange & { take(object: LfsObject, bytes: AsyncIterable<Uint8Array>): Promise<void> },
  ): Promise<void>
  /** Sends what the server lacks. */
  upload(
    server: LfsServer,
    objects: readonly LfsObject[],
    exchange: LfsExchange & { open(object: LfsObject): Promise<AsyncIterable<Uint8Array>> },
  ): Promise<void>
}

export interface LfsClientDeps {
  readonly client: OutgoingClient
  /** For one object, in milliseconds. */
  readonly timeout: number
  /** Milliseconds before an object that did not go through is tried again, the second time three times as long. */
  readonly retryDelay?: number
}

interface ExchangeAll {
  readonly server: LfsServer
  readonly operation: 'download' | 'upload'
  readonly objects: readonly LfsObject[]
  readonly exchange: LfsExchange
}

const LFS_TYPE = 'application/vnd.git-lfs+json'
/** As git-lfs asks. */
const BATCH = 100
const AT_ONCE = 3
const MOST_REDIRECTS = 5
const MAX_ANSWER = 8 * 1024 * 1024
const BATCH_TIMEOUT = 120_000

export function createLfsClient({ client, timeout, retryDelay = 1000 }: LfsClientDeps): LfsClient {
  async function ask(
    server: LfsServer,
    operation: 'download' | 'upload',
    objects: readonly LfsObject[],
    signal: AbortSignal,
  ): Promise<RemoteVerdict[]> {
    const { status, body } = await client.request(`${server.url}/objects/batch`, {
      method: 'POST',
      headers: {
        accept: LFS_TYPE,
        'content-type': LFS_TYPE,
        ...(server.authorization && { authorization: server.authorization }),
      },
      body: JSON.stringify({
        operation,
        transfers: ['basic'],
        hash_algo: 'sha256',
        objects: objects.map(({ oid, size }) => ({ oid, size })),
      }),
      maxRedirects: MOST_REDIRECTS,
      maxBytes: MAX_ANSWER,
      timeout: BATCH_TIMEOUT,
      signal,
    })
    if (status === 401 || status === 403)
      throw new RemoteError(
        'auth',
        `the other server gives no large files (LFS) to these credentials: status ${status}`,
      )
    if (status === 404 || status === 501)
      throw new RemoteError('failed', 'the other server has no large files (LFS) there')
    if (status === 429) throw new RemoteError('busy', 'the other server wants fewer requests for large files (LFS)')
    const verdicts = status === 200 ? readBatchAnswer(body.toString('utf8'), operation, objects) : undefined
    if (verdicts === undefined)
      throw new RemoteError('failed', `the other server did not answer about large files (LFS): status ${status}`)
    return verdicts
  }

  async function exchangeAll(
    { server, operation, objects, exchange }: ExchangeAll,
    one: (verdict: RemoteVerdict, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    for (let at = 0; at < objects.length; at += BATCH) {
      const verdicts = await ask(server, operation, objects.slice(at, at + BATCH), exchange.signal)
      await eachAtOnce(verdicts, { atOnce: AT_ONCE, signal: exchange.signal }, async (verdict, signal) => {
        try {
          if (verdict.problem !== undefined) throw new TransferProblem(verdict.problem)
          await patiently(() => one(verdict, signal), { delay: retryDelay, signal })
        } catch (error) {
          const problem = problemOf(error)
          if (problem === undefined || signal.aborted) throw error
          exchange.failed(verdict.object, problem)
        }
      })
    }
  }

  const request = ({ href, headers }: RemoteAction, server: LfsServer, signal: AbortSignal) => ({
    url: href,
    options: {
      headers: {
        ...(server.authorization &&
          new URL(href).origin === new URL(server.url).origin && { authorization: server.authorization }),
        ...lowerCased(headers),
      },
      maxRedirects: MOST_REDIRECTS,
      timeout,
      signal,
    },
  })

  return {
    download: (server, objects, exchange) =>
      exchangeAll({ server, operation: 'download', objects, exchange }, async ({ object, action }, signal) => {
        const { url, options } = request(action!, server, signal)
        await client.stream(url, { ...options, maxBytes: object.size }, async ({ status, body }) => {
          if (status !== 200) throw new TransferProblem(`status ${status}`, status)
          await exchange.take(object, body)
        })
      }),
    upload: (server, objects, exchange) =>
      exchangeAll({ server, operation: 'upload', objects, exchange }, async ({ object, action, verify }, signal) => {
        if (action !== undefined) {
          const { url, options } = request(action, server, signal)
          const body = { open: () => exchange.open(object), ...(!action.isChunked && { size: object.size }) }
          const { status } = await client.request(url, {
            ...options,
            headers: { 'content-type': 'application/octet-stream', ...options.headers },
            method: 'PUT',
            body,
          })
          if (status < 200 || status > 299) throw new TransferProblem(`status ${status}`, status)
        }
        if (action === undefined || verify === undefined) return
        const { url, options } = request(verify, server, signal)
        const { status } = await client.request(url, {
          ...options,
          headers: { accept: LFS_TYPE, 'content-type': LFS_TYPE, ...options.headers },
          method: 'POST',
          body: JSON.stringify({ oid: object.oid, size: object.size }),
        })
        if (status < 200 || status > 299) throw new TransferProblem(`not verified: status ${status}`, status)
      }),
  }
}

class TransferProblem extends Error {
  /** It may go through when it is tried again. */
  readonly isPassing: boolean

  constructor(message: string, status = 0) {
    super(message)
    this.isPassing = status >= 500 || status === 429
  }
}

const RETRIES = 2

async function patiently(
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

/** What went wrong with one object; undefined for what concerns all of them or this server. */
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

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
