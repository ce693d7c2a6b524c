import type { RemoteCredentials } from '../../../core/git/index.ts'
import { trimEndOf } from '../../../core/platform/trim.ts'

/** Parsed address of a remote repository. */
export type RemoteAddress =
  | {
      readonly kind: 'remote'
      /** Such as `https`. */
      readonly scheme: string
      /** As in URL.hostname. */
      readonly host: string
      /** Without credentials, query and fragment. */
      readonly url: string
      /** From the user information of the address. */
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

/** Undefined for what is neither a URL nor the scp-like syntax, such as a path. */
function toUrl(text: string): URL | undefined {
  // oxlint-disable-next-line no-control-regex
  if (text.length > MAX_LENGTH || /[\u0000-\u0020\u007f]/.test(text)) return undefined
  const full = SCHEME.test(text) ? text : fromScp(text)
  return full !== undefined && URL.canParse(full) ? new URL(full) : undefined
}

/** NOTE: one letter before the colon is a drive of Windows, not a host. */
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
