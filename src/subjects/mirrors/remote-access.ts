import {
  type Git,
  type Remote,
  type RemoteCredentials,
  RemoteError,
  type RemoteRefs,
  type TransferOptions,
} from '../../git/index.ts'
import { type HostGuard, isOutgoingError, type OutgoingClient } from '../../platform/outgoing/index.ts'
import type { SecretBox } from '../../platform/secret-box.ts'

interface RemoteAccessDeps {
  readonly git: Git
  readonly guard: HostGuard
  readonly client: OutgoingClient
  readonly secrets: SecretBox
  /** For one transfer, in milliseconds. */
  readonly timeout: number
  /** Of what one fetch may bring; Infinity for any size. */
  readonly maxBytes: number
  readonly skipTlsVerify: boolean
}

export interface FoundRemote {
  readonly remote: Remote
  readonly found: RemoteRefs
}

/** Other servers' repositories: every name is resolved and checked before git gets the address. */
export interface RemoteAccess {
  /** Throws OutgoingError when the host may not be reached. */
  open(url: string, credentials: RemoteCredentials | undefined): Promise<Remote>
  /**
   * What the remote has. A repository that has moved is followed, each step checked. Throws RemoteError and
   * OutgoingError.
   */
  look(url: string, credentials: RemoteCredentials | undefined, signal: AbortSignal): Promise<FoundRemote>
  /** Bounds of one transfer that ends with the signal. */
  transfer(signal: AbortSignal): TransferOptions
  /** Credentials as they are stored. Empty for none. */
  seal(credentials: RemoteCredentials | undefined): string
  /** Throws RemoteError when they were sealed with another key. */
  unseal(sealed: string): RemoteCredentials | undefined
  /** A private key as it is stored, and back; empty stays empty. */
  sealKey(key: string): string
  unsealKey(sealed: string): string
  /** An address that may hold credentials as it is stored, and back; empty stays empty. */
  sealEndpoint(address: string): string
  unsealEndpoint(sealed: string): string
}

const CONTEXT = 'remote credentials'
const KEY_CONTEXT = 'push mirror key'
const ENDPOINT_CONTEXT = 'large files of a mirror'
const MAX_REDIRECTS = 5
const PROBE = '/info/refs?service=git-upload-pack'

export function createRemoteAccess({
  git,
  guard,
  client,
  secrets,
  timeout,
  maxBytes,
  skipTlsVerify,
}: RemoteAccessDeps): RemoteAccess {
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
    transfer,
    open,
    async look(url, credentials, signal) {
      const remote = await open(url, credentials)
      try {
        return { remote, found: await git.remotes.list(remote, transfer(signal)) }
      } catch (error) {
        if (!(error instanceof RemoteError) || error.kind !== 'redirect') throw error
        const moved = await findNewPlace(client, { url, credentials, signal })
        const next = await open(moved, new URL(moved).origin === new URL(url).origin ? credentials : undefined)
        return { remote: next, found: await git.remotes.list(next, transfer(signal)) }
      }
    },
    seal: (credentials) => (credentials === undefined ? '' : secrets.seal(JSON.stringify(credentials), CONTEXT)),
    sealKey: sealing(KEY_CONTEXT),
    unsealKey: unsealing(KEY_CONTEXT),
    sealEndpoint: sealing(ENDPOINT_CONTEXT),
    unsealEndpoint: unsealing(ENDPOINT_CONTEXT),
    unseal: (sealed) =>
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

/** The last address of the redirects of a repository. Credentials are sent to the first server alone. */
async function findNewPlace(
  client: OutgoingClient,
  { url, credentials, signal }: { url: string; credentials: RemoteCredentials | undefined; signal: AbortSignal },
): Promise<string> {
  const authorization =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  const answer = await client
    .request(`${url.replace(/\/+$/, '')}${PROBE}`, {
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
  if (!answer.url.endsWith(PROBE))
    throw new RemoteError('missing', 'the other server leads to something that is no repository')
  return answer.url.slice(0, -PROBE.length)
}

/** What went wrong, for the owner of the mirror; undefined when it is a fault of this server. */
export function remoteProblem(error: unknown): string | undefined {
  if (error instanceof RemoteError || isOutgoingError(error)) return error.message
  return undefined
}
