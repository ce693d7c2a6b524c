import type { RemoteCredentials } from '../../../../core/git/index.ts'
import { trimEndOf } from '../../../../core/platform/trim.ts'

/** The large files of a repository on another server. */
export interface LfsServer {
  /** Such as `https://host/owner/repo.git/info/lfs`. */
  readonly url: string
  /** The header; sent to this origin alone. */
  readonly authorization: string | undefined
}

interface RepoPlace {
  /** Of the repository, without credentials. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /**
   * Where the large files are, if not where the specification puts them; empty for there. May contain credentials of
   * its own.
   */
  readonly endpoint?: string
}

/**
 * Where the large files of a repository are (git-lfs specification, Server Discovery). Credentials of the repository go
 * to its own server alone. Undefined for an endpoint that is no HTTP address.
 */
export function lfsServerOf({ url, credentials, endpoint = '' }: RepoPlace): LfsServer | undefined {
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
