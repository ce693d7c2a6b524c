import type { SealedColumns } from '../../../core/db/sealed-columns.ts'
import {
  type Git,
  type Remote,
  type RemoteCredentials,
  RemoteError,
  type RemoteRefs,
  type TransferOptions,
} from '../../../core/git/index.ts'
import { type HostGuard, isOutgoingError, type OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import { trimEndOf } from '../../../core/platform/trim.ts'

/** For one import, or one synchronization of a mirror. */
export const TRANSFER_TIMEOUT_MS = 3_600_000

interface RemoteAccessDeps {
  readonly git: Git
  readonly guard: HostGuard
  readonly client: OutgoingClient
  readonly secrets: SecretBox
  /** Milliseconds for one transfer. */
  readonly timeout: number
  /** Of one fetch; Infinity for any size. */
  readonly maxBytes: number
  readonly skipTlsVerify: boolean
}

export interface FoundRemote {
  readonly remote: Remote
  readonly found: RemoteRefs
}

const CONTEXT = 'remote credentials'
const KEY_CONTEXT = 'push mirror key'
const ENDPOINT_CONTEXT = 'large files of a mirror'

export const sealedMirrorColumns: readonly SealedColumns[] = [
  {
    table: 'mirror',
    key: 'repo_id',
    contexts: { credentials: () => CONTEXT, lfs_endpoint: () => ENDPOINT_CONTEXT },
  },
  { table: 'push_mirror', key: 'id', contexts: { credentials: () => CONTEXT, private_key: () => KEY_CONTEXT } },
]

const MAX_REDIRECTS = 5
const REFS_PATH = '/info/refs?service=git-upload-pack'

export type RemoteAccess = ReturnType<typeof createRemoteAccess>

/** Access to remote repositories. Host names are resolved and checked before git connects to the address. */
export function createRemoteAccess({
  git,
  guard,
  client,
  secrets,
  timeout,
  maxBytes,
  skipTlsVerify,
}: RemoteAccessDeps) {
  const transfer = (signal: AbortSignal): TransferOptions => ({ signal, deadline: timeout, maxBytes })
  const open = async (url: string, credentials: RemoteCredentials | undefined): Promise<Remote> => ({
    url,
    addresses: await guard.resolve(new URL(url).hostname),
    skipTlsVerify,
    ...(credentials && { credentials }),
  })
  const sealing =
    (context: string) =>
    (text: string): string =>
      text === '' ? '' : secrets.seal(text, context)
  const unsealing =
    (context: string) =>
    (sealed: string): string =>
      sealed === '' ? '' : opened(secrets, sealed, context)
  return {
    /** Limits of one transfer; the signal aborts it. */
    transfer,
    /** Throws OutgoingError if the host is not allowed. */
    open,
    /** Lists the refs of a remote; follows redirects and checks each host. Throws RemoteError and OutgoingError. */
    async list(url: string, credentials: RemoteCredentials | undefined, signal: AbortSignal): Promise<FoundRemote> {
      const remote = await open(url, credentials)
      try {
        return { remote, found: await git.remotes.list(remote, transfer(signal)) }
      } catch (error) {
        if (!(error instanceof RemoteError) || error.kind !== 'redirect') throw error
        const moved = await findRedirectTarget(client, { url, credentials, signal })
        const next = await open(moved, new URL(moved).origin === new URL(url).origin ? credentials : undefined)
        return { remote: next, found: await git.remotes.list(next, transfer(signal)) }
      }
    },
    /** Encrypts credentials for storage; empty for none. */
    seal: (credentials: RemoteCredentials | undefined): string =>
      credentials === undefined ? '' : secrets.seal(JSON.stringify(credentials), CONTEXT),
    /** Encrypts and decrypts a private key; empty stays empty. */
    sealKey: sealing(KEY_CONTEXT),
    unsealKey: unsealing(KEY_CONTEXT),
    /** Encrypts and decrypts an address that may contain credentials; empty stays empty. */
    sealEndpoint: sealing(ENDPOINT_CONTEXT),
    unsealEndpoint: unsealing(ENDPOINT_CONTEXT),
    /** Throws RemoteError if they were sealed with another key. */
    unseal: (sealed: string): RemoteCredentials | undefined =>
      sealed === '' ? undefined : (JSON.parse(opened(secrets, sealed, CONTEXT)) as RemoteCredentials),
  }
}

function opened(secrets: SecretBox, sealed: string, context: string): string {
  try {
    return secrets.open(sealed, context)
  } catch (error) {
    throw new RemoteError(
      'auth',
      'the stored credentials cannot be read any more: the secret key of this server is another one',
      { cause: error },
    )
  }
}

/** The address after all redirects. Credentials are sent to the first server only. */
async function findRedirectTarget(
  client: OutgoingClient,
  { url, credentials, signal }: { url: string; credentials: RemoteCredentials | undefined; signal: AbortSignal },
): Promise<string> {
  const authorization =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  const answer = await client
    .request(`${trimEndOf(url, '/')}${REFS_PATH}`, {
      maxRedirects: MAX_REDIRECTS,
      maxBytes: 64 * 1024 * 1024,
      signal,
      ...(authorization && { headers: { authorization } }),
    })
    .catch((error: unknown) => {
      throw isOutgoingError(error, 'redirects')
        ? new RemoteError('failed', 'the other server redirects without end', { cause: error })
        : error
    })
  if (!answer.url.endsWith(REFS_PATH))
    throw new RemoteError('missing', 'the other server leads to something that is no repository')
  return answer.url.slice(0, -REFS_PATH.length)
}

/** Message for the owner of the mirror; undefined if the error is a fault of this server. */
export function remoteProblem(error: unknown): string | undefined {
  if (error instanceof RemoteError || isOutgoingError(error)) return error.message
  return undefined
}
