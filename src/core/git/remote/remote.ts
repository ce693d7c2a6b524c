import { type Settings, gitEnv } from '../engine/command.ts'
import { startGit } from '../wire/git-child.ts'
import { WireError } from '../wire/wire-error.ts'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from '../disk/layout.ts'

/** Files that one run of ssh needs. */
export interface SshFiles {
  readonly keyFile: string
  /** Host keys: recorded on first use and required from then on. */
  readonly knownHosts: string
}

/** Writes the key of a remote to a file while the task runs; after a crash the cleanup of staging removes it. */
export async function withSshFiles<T>(
  layout: Layout,
  privateKey: string | undefined,
  task: (files: SshFiles | undefined) => Promise<T>,
): Promise<T> {
  if (privateKey === undefined) return task(undefined)
  const keyFile = layout.stagingPath()
  await writeFile(keyFile, privateKey, { mode: 0o600, flag: 'wx' })
  try {
    return await task({ keyFile, knownHosts: join(layout.staging, '..', 'known_hosts') })
  } finally {
    await rm(keyFile, { force: true })
  }
}

/** Uses the checked address and this key, and nothing from the machine's configuration. */
function sshOptions(url: URL, address: string, { keyFile, knownHosts }: SshFiles): string[] {
  const alias = url.port === '' ? url.hostname : `[${url.hostname}]:${url.port}`
  const options = {
    HostName: address,
    HostKeyAlias: alias,
    UserKnownHostsFile: quoted(knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'accept-new',
    IdentityFile: quoted(keyFile),
    IdentitiesOnly: 'yes',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '30',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
  }
  return ['-F', '/dev/null', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}

/** The command that git runs instead of ssh. NOTE: git passes it to a shell. */
const sshCommand = (url: URL, address: string, files: SshFiles): string =>
  ['ssh', ...sshOptions(url, address, files).map(shellQuoted)].join(' ')

/** Arguments that run a command on the other server, which reads `path` as one word. */
export function sshArguments(
  url: URL,
  address: string,
  { files, command }: { readonly files: SshFiles; readonly command: (path: string) => string },
): string[] {
  const user = decodeURIComponent(url.username) || 'git'
  const port = url.port === '' ? [] : ['-p', url.port]
  return [
    ...sshOptions(url, address, files),
    ...port,
    '-l',
    user,
    '--',
    url.hostname,
    command(shellQuoted(decodeURIComponent(url.pathname.replace(/^\//, '')))),
  ]
}

/** Quotes for ssh's own parser, where a space ends a file name and % begins a placeholder. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%')}"`
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Why another server's repository could not be read or written. `auth`: credentials are missing, wrong or insufficient,
 * or the server hides that the repository does not exist; `redirect`: it has moved; `busy`: the server wants fewer
 * requests; `rejected`: it did not accept all refs; `failed`: anything else. Messages contain no paths of this machine
 * and no credentials.
 */
export type RemoteErrorKind = 'auth' | 'missing' | 'redirect' | 'busy' | 'rejected' | 'timeout' | 'failed'

export class RemoteError extends Error {
  readonly kind: RemoteErrorKind

  constructor(kind: RemoteErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RemoteError'
    this.kind = kind
  }
}

const CAUSES: readonly (readonly [pattern: RegExp, kind: RemoteErrorKind])[] = [
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 40[13]\b|Permission denied|access denied/i,
    'auth',
  ],
  [
    /returned error: (?:404|410)\b|repository '[^']*' not found|does not appear to be a git repository|Repository not found/i,
    'missing',
  ],
  [/returned error: 30[12378]\b/, 'redirect'],
  [/returned error: 429\b/, 'busy'],
]

/** Error lines of git, of the other server and of ssh; the rest is progress. */
const SAYS_WHY = /^(?:error|fatal|ssh|remote): *\S|: Permission denied|^Host key verification failed/
const MAX_MESSAGE = 500

/** Git's message without a terminal if the server wants other credentials, none exist, or it answers 404. */
const NOT_FOUND =
  /^(?:error|fatal): (?:could not read (?:Username|Password)|Authentication failed|repository '.*' not found)/

/** Builds the user's error from git's output. `hasCredentials` says whether git sent any. */
export function remoteError(stderr: string, hasCredentials = false): RemoteError {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim())
  const reasons = lines.filter((line) => SAYS_WHY.test(line))
  const kind = CAUSES.find(([pattern]) => reasons.some((line) => pattern.test(line)))?.[1] ?? 'failed'
  const notFound = `the repository does not exist or needs ${hasCredentials ? 'other ' : ''}credentials`
  const texts = reasons.map((line) => (NOT_FOUND.test(line) ? notFound : line.replace(/^(?:error|fatal): /, '')))
  return new RemoteError(kind, clean(texts.length > 0 ? texts.join('; ') : 'git ended without an error message'))
}

/** Removes paths of this machine and credentials in URLs. */
export const clean = (text: string): string =>
  text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@']*@/gi, '$1')
    .replaceAll(/(?<=^|[\s'"(])(?:\/[^\s/'"]+){2,}/g, '…')
    .slice(0, MAX_MESSAGE)

/** A repository on another server, already checked: git connects only to these addresses. */
export interface Remote {
  /** http, https, git or ssh; without credentials. */
  readonly url: string
  /** Addresses of the host, in order of preference. */
  readonly addresses: readonly [string, ...string[]]
  readonly credentials?: RemoteCredentials | undefined
  /** An OpenSSH key for ssh URLs. */
  readonly privateKey?: string
  /** Accept any certificate. */
  readonly skipTlsVerify?: boolean
}

export interface RemoteCredentials {
  readonly username: string
  readonly password: string
}

export interface RemoteInvocation {
  /** The URL that git gets. */
  readonly url: string
  readonly settings: Settings
  readonly env: Readonly<Record<string, string>>
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * The settings with which git reaches a remote: only by its protocol, only at the checked addresses, without redirects,
 * proxies, credential helpers and prompts. Credentials are passed in the environment of the process, never as
 * arguments.
 */
export function invocationOf(remote: Remote, ssh?: SshFiles): RemoteInvocation {
  const url = new URL(remote.url)
  if (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:'))
    throw new RemoteError('failed', 'credentials do not belong into the address')
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return {
        url: url.href,
        settings: [...COMMON, [`protocol.${url.protocol.slice(0, -1)}.allow`, 'always'], ...httpSettings(url, remote)],
        env: {},
      }
    case 'git:':
      return {
        url: pinnedGitUrl(url, remote.addresses[0]),
        settings: [...COMMON, ['protocol.git.allow', 'always']],
        env: { GIT_OVERRIDE_VIRTUAL_HOST: url.host },
      }
    case 'ssh:':
      if (ssh === undefined) throw new RemoteError('auth', 'SSH needs a key')
      return {
        url: url.href,
        settings: [...COMMON, ['protocol.ssh.allow', 'always']],
        env: { GIT_SSH_COMMAND: sshCommand(url, remote.addresses[0], ssh), GIT_SSH_VARIANT: 'ssh' },
      }
    default:
      throw new RemoteError('failed', `addresses that begin with ${url.protocol} cannot be used`)
  }
}

const COMMON: Settings = [
  ['credential.helper', ''],
  ['core.askPass', ''],
  ['submodule.recurse', 'false'],
  ['transfer.bundleURI', 'false'],
]

/** Bytes per second, and the seconds below that rate after which a transfer is aborted. */
const LEAST_SPEED = '100'
const SLOW_SECONDS = '60'

function httpSettings(url: URL, { addresses, credentials, skipTlsVerify }: Remote): Settings {
  const port = url.port || DEFAULT_PORTS[url.protocol]!
  const wrapped = addresses.map((address) => (address.includes(':') ? `[${address}]` : address))
  const token = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  return [
    ['http.proxy', ''],
    // NOTE: also prevents the dumb protocol from following alternates that a server names.
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', LEAST_SPEED],
    ['http.lowSpeedTime', SLOW_SECONDS],
    ...(url.hostname.startsWith('[')
      ? []
      : [['http.curloptResolve', `${url.hostname}:${port}:${wrapped.join(',')}`] as const]),
    ...(token === undefined ? [] : [['http.extraHeader', `Authorization: Basic ${token}`] as const]),
    ...(skipTlsVerify ? [['http.sslVerify', 'false'] as const] : []),
  ]
}

/** git:// has no setting for the address: the address replaces the host, which is sent as the virtual host. */
function pinnedGitUrl(url: URL, address: string): string {
  const host = address.includes(':') ? `[${address}]` : address
  return `git://${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`
}

export interface RemoteRun {
  /** GIT_DIR; absent for commands that need no repository. */
  readonly path?: string
  readonly env?: Readonly<Record<string, string>>
  readonly settings?: readonly (readonly [string, string])[]
  readonly ssh?: SshFiles | undefined
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

export interface RemoteOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const MAX_OUTPUT = 256 * 1024 * 1024

/** Runs one git command against a remote; `args` gets the URL. The signal ends the process and its children. */
export async function runRemote(
  remote: Remote,
  args: (url: string) => readonly string[],
  run: RemoteRun,
): Promise<RemoteOutput> {
  const { url, settings, env } = invocationOf(remote, run.ssh)
  const child = startGit(args(url), {
    env: {
      ...gitEnv(run.path, [...settings, ...(run.settings ?? [])]),
      GIT_CEILING_DIRECTORIES: '/',
      ...env,
      ...run.env,
    },
    signal: run.signal,
    deadlineMs: run.deadlineMs,
  })
  child.closeInput()
  try {
    const stdout = await readAll(child.stdout)
    return { code: await child.exited, stdout, stderr: child.stderr() }
  } catch (error) {
    if (error instanceof WireError && error.kind === 'timeout')
      throw new RemoteError('timeout', 'the other server took too long', { cause: error })
    throw error
  } finally {
    child.kill()
    await child.exited.catch(() => {})
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_OUTPUT) throw new RemoteError('failed', 'the other server has too many refs')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
