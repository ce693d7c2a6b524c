import type { Settings } from '../engine/command.ts'
import { RemoteError } from './remote-error.ts'
import { sshCommand, type SshFiles } from './ssh.ts'

/** A repository on another server, already checked: git connects to these addresses and to nothing else. */
export interface Remote {
  /** http, https, git or ssh; without credentials. */
  readonly url: string
  /** Where the host may be reached, in order of preference. */
  readonly addresses: readonly [string, ...string[]]
  readonly credentials?: RemoteCredentials | undefined
  /** An OpenSSH key, for ssh addresses. */
  readonly privateKey?: string
  /** Accept any certificate. */
  readonly skipTlsVerify?: boolean
}

export interface RemoteCredentials {
  readonly username: string
  readonly password: string
}

export interface RemoteInvocation {
  /** What git is given as the address. */
  readonly url: string
  readonly settings: Settings
  readonly env: Readonly<Record<string, string>>
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * The settings with which git reaches a remote: only by its protocol, only at the checked addresses, without redirects,
 * proxies, helpers and questions. Credentials go by the environment of the process, never by its arguments.
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

/** Bytes a second, and seconds below that, after which a transfer is given up. */
const LEAST_SPEED = '100'
const SLOW_SECONDS = '60'

function httpSettings(url: URL, { addresses, credentials, skipTlsVerify }: Remote): Settings {
  const port = url.port || DEFAULT_PORTS[url.protocol]!
  const wrapped = addresses.map((address) => (address.includes(':') ? `[${address}]` : address))
  const token = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  return [
    ['http.proxy', ''],
    // NOTE: also keeps the dumb protocol from going to the alternates that a server names.
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

/** git:// has no setting for the address: it stands in the place of the host, which goes along as the virtual host. */
function pinnedGitUrl(url: URL, address: string): string {
  const host = address.includes(':') ? `[${address}]` : address
  return `git://${host}${url.port === '' ? '' : `:${url.port}`}${url.pathname}`
}
