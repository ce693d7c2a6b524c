import type { RemoteCredentials } from '../../git/index.ts'
import { invalid } from '../../platform/errors.ts'

/** What a repository has beside git data and wiki. */
export const METADATA_PARTS = ['labels', 'milestones', 'issues', 'pull_requests', 'releases'] as const
export type MetadataPart = (typeof METADATA_PARTS)[number]

/**
 * Another server as a source of repositories: how its git data is reached, and which metadata this server can read from
 * it. The importer asks for nothing that is not among `parts`, and refuses to leave out what the user asked for.
 */
export interface RemoteForge {
  readonly name: string
  readonly parts: ReadonlySet<MetadataPart>
  /** How git signs in with an access token of this service. */
  tokenCredentials(token: string): RemoteCredentials
}

const NO_PARTS: ReadonlySet<MetadataPart> = new Set()
const withToken = (username: string) => (password: string): RemoteCredentials => ({ username, password })

const plainGit: RemoteForge = { name: 'git', parts: NO_PARTS, tokenCredentials: withToken('oauth2') }

/** Services by the names that clients use (reference repositories §15); all take a token as the password of `oauth2`. */
const forges = new Map<string, RemoteForge>(
  ['github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'codecommit'].map((name) => [name, { ...plainGit, name }]),
)

/** Unknown services are plain git. */
export const forgeOf = (service: string | undefined): RemoteForge => forges.get((service ?? '').toLowerCase()) ?? plainGit

/** Refuses what would be lost in silence. Plain git has no metadata: flags mean nothing there. Throws invalid. */
export function requireParts(forge: RemoteForge, wanted: ReadonlySet<MetadataPart>): void {
  if (forge === plainGit) return
  const missing = METADATA_PARTS.filter((part) => wanted.has(part) && !forge.parts.has(part))
  if (missing.length === 0) return
  const words = missing.join(', ').replaceAll('_', ' ')
  throw invalid(`This server cannot import ${words} from ${forge.name}. Leave them out to import the git data${forge.name === 'codecommit' ? '' : ' and the wiki'} alone.`)
}
