import type { RemoteCredentials } from '../../git/index.ts'

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
  const trimmed = text.trim()
  // oxlint-disable-next-line no-control-regex
  if (trimmed.length > MAX_LENGTH || /[\u0000-\u0020\u007f]/.test(trimmed)) return { kind: 'local' }
  const scp = SCHEME.test(trimmed) ? null : SCP.exec(trimmed)
  const full = scp ? `ssh://${scp[1] ?? 'git'}@${scp[2]}/${scp[3]}` : trimmed
  if (!SCHEME.test(full) || !URL.canParse(full) || (scp && /^[a-z]$/i.test(scp[2]!))) return { kind: 'local' }
  const url = new URL(full)
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'file' || url.hostname === '' || url.hostname.startsWith('-')) return { kind: 'local' }
  const [username, password] = [decoded(url.username), decoded(url.password)]
  const isSsh = scheme === 'ssh'
  url.username = isSsh ? url.username : ''
  url.password = ''
  url.search = ''
  url.hash = ''
  const credentials = !isSsh && (username !== '' || password !== '') ? { username, password } : undefined
  return { kind: 'remote', scheme, host: url.hostname, url: url.href, credentials }
}

/** Address of the wiki of a repository, by the convention of all forges. */
export const wikiAddress = (url: string): string => `${url.replace(/\/+$/, '').replace(/\.git$/, '')}.wiki.git`

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
