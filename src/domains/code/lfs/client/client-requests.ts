import { RemoteError, type RemoteCredentials } from '../../../../core/git/index.ts'
import type { OutgoingClient } from '../../../../core/platform/outgoing/index.ts'
import { readBatchAnswer, type RemoteAction, type RemoteVerdict } from '../objects/batch-answer.ts'
import type { LfsObject } from '../lfs.store.ts'
import { LFS_TYPE } from '../handler.ts'
import { trimEndOf } from '../../../../core/platform/trim.ts'

/** The LFS endpoint of a repository on another server. */
export interface LfsServer {
  /** Such as `https://host/owner/repo.git/info/lfs`. */
  readonly url: string
  /** The value of the header; sent only to the origin of `url`. */
  readonly authorization: string | undefined
}

interface RepoLocation {
  /** The URL of the repository, without credentials. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /**
   * The LFS endpoint, if it differs from the one of the specification; may contain its own credentials. Empty for the
   * default.
   */
  readonly endpoint?: string
}

/**
 * Returns the LFS endpoint of a repository (git-lfs specification, Server Discovery). Credentials of the repository are
 * sent only to its own server. Undefined for an endpoint that is not an HTTP URL.
 */
export function lfsServerOf({ url, credentials, endpoint = '' }: RepoLocation): LfsServer | undefined {
  if (endpoint === '')
    return {
      url: `${url
        .replace(/^git:/, 'https:')
        .replace(/(?<!\/)\/+$/, '')
        .replace(/\.git$/, '')}.git/info/lfs`,
      authorization: basic(credentials),
    }
  if (!URL.canParse(endpoint)) return undefined
  const given = new URL(endpoint)
  if (given.protocol !== 'http:' && given.protocol !== 'https:') return undefined
  const own =
    given.username === '' && given.password === ''
      ? undefined
      : { username: decodeURIComponent(given.username), password: decodeURIComponent(given.password) }
  const shared = given.origin === new URL(url).origin ? credentials : undefined
  Object.assign(given, { username: '', password: '', hash: '' })
  return { url: trimEndOf(given.href, '/'), authorization: basic(own ?? shared) }
}

const basic = (credentials: RemoteCredentials | undefined): string | undefined =>
  credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`

const MAX_REDIRECTS = 5
const MAX_ANSWER = 8 * 1024 * 1024
const BATCH_TIMEOUT = 120_000

/** The transfer of one object failed. */
export class TransferProblem extends Error {
  /** Whether a retry may succeed. */
  readonly isPassing: boolean

  constructor(message: string, status = 0) {
    super(message)
    this.isPassing = status >= 500 || status === 429
  }
}

interface Batch {
  readonly server: LfsServer
  readonly operation: 'download' | 'upload'
  readonly objects: readonly LfsObject[]
  readonly signal: AbortSignal
}

/** Requests the actions of these objects from the other server. Throws RemoteError. */
export async function requestBatch(
  client: OutgoingClient,
  { server, operation, objects, signal }: Batch,
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
    maxRedirects: MAX_REDIRECTS,
    maxBytes: MAX_ANSWER,
    timeout: BATCH_TIMEOUT,
    signal,
  })
  if (status === 401 || status === 403)
    throw new RemoteError('auth', `the other server gives no large files (LFS) to these credentials: status ${status}`)
  if (status === 404 || status === 501)
    throw new RemoteError('failed', 'the other server has no large files (LFS) there')
  if (status === 429) throw new RemoteError('busy', 'the other server wants fewer requests for large files (LFS)')
  const verdicts = status === 200 ? readBatchAnswer(body.toString('utf8'), operation, objects) : undefined
  if (verdicts === undefined)
    throw new RemoteError('failed', `the other server did not answer about large files (LFS): status ${status}`)
  return verdicts
}

interface ActionRequest {
  readonly url: string
  readonly options: {
    readonly headers: Readonly<Record<string, string>>
    readonly maxRedirects: number
    readonly timeout: number
    readonly signal: AbortSignal
  }
}

/** Creates a request to a URL from the other server; credentials are sent only to its own origin. */
export function actionRequest(
  { href, headers }: RemoteAction,
  server: LfsServer,
  limits: { readonly timeout: number; readonly signal: AbortSignal },
): ActionRequest {
  const isSameOrigin = new URL(href).origin === new URL(server.url).origin
  return {
    url: href,
    options: {
      headers: {
        ...(server.authorization && isSameOrigin && { authorization: server.authorization }),
        ...lowerCased(headers),
      },
      maxRedirects: MAX_REDIRECTS,
      ...limits,
    },
  }
}

/** Reports a complete upload to the other server. */
export async function requestVerify(
  client: OutgoingClient,
  { oid, size }: LfsObject,
  { url, options }: ActionRequest,
): Promise<void> {
  const { status } = await client.request(url, {
    ...options,
    headers: { accept: LFS_TYPE, 'content-type': LFS_TYPE, ...options.headers },
    method: 'POST',
    body: JSON.stringify({ oid, size }),
  })
  if (status < 200 || status > 299) throw new TransferProblem(`not verified: status ${status}`, status)
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
