import type { SealedColumns } from '../../../core/db/sealed-columns.ts'
import {
  CREDENTIALS_CONTEXT,
  type Git,
  sealCredentials,
  type Remote,
  type RemoteCredentials,
  RemoteError,
  type RemoteRefs,
  type TransferOptions,
} from '../../../core/git/index.ts'
import { type HostGuard, isOutgoingError, type OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import { trimEndOf } from '../../../core/platform/trim.ts'
import { formatDuration, parseDuration } from '../../../core/platform/duration.ts'

/** The timeout of one import, or of one sync of a mirror. */
export const TRANSFER_TIMEOUT_MS = 3_600_000

interface RemoteAccessDeps {
  readonly git: Git
  readonly guard: HostGuard
  readonly client: OutgoingClient
  readonly secrets: SecretBox
  /** Milliseconds for one transfer. */
  readonly timeout: number
  /** The maximum size of one fetch; Infinity for no limit. */
  readonly maxBytes: number
  readonly skipTlsVerify: boolean
}

export interface FoundRemote {
  readonly remote: Remote
  readonly found: RemoteRefs
}

const KEY_CONTEXT = 'push mirror key'
const ENDPOINT_CONTEXT = 'large files of a mirror'

export const sealedMirrorColumns: readonly SealedColumns[] = [
  {
    table: 'mirror',
    key: 'repo_id',
    contexts: { credentials: () => CREDENTIALS_CONTEXT, lfs_endpoint: () => ENDPOINT_CONTEXT },
  },
  {
    table: 'push_mirror',
    key: 'id',
    contexts: { credentials: () => CREDENTIALS_CONTEXT, private_key: () => KEY_CONTEXT },
  },
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
    /** Encrypts credentials for storage; empty without credentials. */
    seal: (credentials: RemoteCredentials | undefined): string => sealCredentials(secrets, credentials),
    /** Encrypts and decrypts a private key; an empty text is unchanged. */
    sealKey: sealing(KEY_CONTEXT),
    unsealKey: unsealing(KEY_CONTEXT),
    /** Encrypts and decrypts an address that may contain credentials; an empty text is unchanged. */
    sealEndpoint: sealing(ENDPOINT_CONTEXT),
    unsealEndpoint: unsealing(ENDPOINT_CONTEXT),
    /** Throws RemoteError if they were encrypted with another key. */
    unseal: (sealed: string): RemoteCredentials | undefined =>
      sealed === '' ? undefined : (JSON.parse(opened(secrets, sealed, CREDENTIALS_CONTEXT)) as RemoteCredentials),
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

/** A message for the owner of the mirror; undefined if the error is a fault of this server. */
function remoteProblem(error: unknown): string | undefined {
  if (error instanceof RemoteError || isOutgoingError(error)) return error.message
  return undefined
}

/**
 * Parses a duration: returns milliseconds, or the reason of a refusal (behaviour/repositories#editing, grammar of
 * durations).
 */
export function readMirrorInterval(
  text: string,
  minInterval: number,
): number | { readonly problem: 'unparsable' | 'too-short'; readonly message: string } {
  const interval = parseDuration(text)
  if (interval === undefined || interval < 0)
    return { problem: 'unparsable', message: `time: invalid duration "${text}"` }
  if (interval !== 0 && interval < minInterval)
    return {
      problem: 'too-short',
      message: `interval ${formatDuration(interval)} is set below Minimum Interval of ${formatDuration(minInterval)}`,
    }
  return Math.round(interval)
}

/** Parses a setting: returns milliseconds, throws if it is not a duration. */
export function readIntervalSetting(name: string, text: string): number {
  const duration = parseDuration(text)
  if (duration === undefined || duration < 0) throw new Error(`${name}: invalid duration "${text}"`)
  return duration
}

/** Parsed address of a remote repository. */
export type RemoteAddress =
  | {
      readonly kind: 'remote'
      /** The scheme, for example `https`. */
      readonly scheme: string
      /** The host in the form of URL.hostname. */
      readonly host: string
      /** The address without credentials, query and fragment. */
      readonly url: string
      /** The user information of the address. */
      readonly credentials: RemoteCredentials | undefined
    }
  /** A local path, or not an address. */
  | { readonly kind: 'local' }

const MAX_LENGTH = 2048
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
/** The scp-like syntax of SSH: `git@host:path`. */
const SCP = /^(?:([^@/:\s]+)@)?([^@/:\s]+):(?!\/\/|\\)(?!\d+$)(\S+)$/

/** Parses an address without resolving its host. */
export function parseRemoteAddress(text: string): RemoteAddress {
  const url = toUrl(text.trim())
  if (url === undefined || url.protocol === 'file:' || url.hostname === '' || url.hostname.startsWith('-'))
    return { kind: 'local' }
  const scheme = url.protocol.slice(0, -1)
  const isSsh = scheme === 'ssh'
  const [username, password] = [decoded(url.username), decoded(url.password)]
  url.username = isSsh ? url.username : ''
  url.password = ''
  url.search = ''
  url.hash = ''
  const credentials = !isSsh && (username !== '' || password !== '') ? { username, password } : undefined
  return { kind: 'remote', scheme, host: url.hostname, url: url.href, credentials }
}

/** Undefined for other texts than URLs and the scp-like syntax, such as paths. */
function toUrl(text: string): URL | undefined {
  // oxlint-disable-next-line no-control-regex
  if (text.length > MAX_LENGTH || /[\u0000-\u0020\u007f]/.test(text)) return undefined
  const full = SCHEME.test(text) ? text : fromScp(text)
  return full !== undefined && URL.canParse(full) ? new URL(full) : undefined
}

/** NOTE: one letter before the colon is a Windows drive, not a host. */
function fromScp(text: string): string | undefined {
  const [, user = 'git', host = '', path = ''] = SCP.exec(text) ?? []
  return host === '' || /^[a-z]$/i.test(host) ? undefined : `ssh://${user}@${host}/${path}`
}

/** Address of the wiki of a repository, by the convention of all forges. */
export const wikiAddress = (url: string): string => `${trimEndOf(url, '/').replace(/\.git$/, '')}.wiki.git`

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Failures of the parts of a sync: each part runs even if another fails. */
interface Problems {
  /** Messages, each with the prefix of its part. */
  readonly problems: readonly string[]
  /**
   * Returns undefined if the task failed because of the remote; rethrows faults of this server and aborts of `signal`.
   */
  attempt<T>(prefix: string, task: () => Promise<T>): Promise<T | undefined>
}

export function collectProblems(signal: AbortSignal): Problems {
  const problems: string[] = []
  return {
    problems,
    async attempt(prefix, task) {
      try {
        return await task()
      } catch (error) {
        const problem = remoteProblem(error)
        if (problem === undefined || signal.aborted) throw error
        problems.push(`${prefix}${problem}`)
        return undefined
      }
    },
  }
}
