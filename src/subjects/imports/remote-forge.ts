import type { RemoteCredentials } from '../../git/index.ts'
import type { OpenSource } from './source.ts'
import { openGitea } from './sources/gitea.source.ts'
import { openGithub } from './sources/github.source.ts'
import { openGitlab } from './sources/gitlab.source.ts'

/** What a repository has beside git data and wiki. */
export const METADATA_PARTS = ['labels', 'milestones', 'issues', 'pull_requests', 'releases'] as const
export type MetadataPart = (typeof METADATA_PARTS)[number]

/**
 * Another server as a source of repositories: how its git data is reached, and what this server can read of the rest.
 */
export interface RemoteForge {
  readonly name: string
  /** Absent where nothing but git can be read. */
  readonly open?: OpenSource
  readonly parts: ReadonlySet<MetadataPart>
  /** How git signs in with an access token of this service. */
  tokenCredentials(token: string): RemoteCredentials
}

const plainGit: RemoteForge = {
  name: 'git',
  parts: new Set(),
  tokenCredentials: (password) => ({ username: 'oauth2', password }),
}

const sources: Readonly<Record<string, OpenSource>> = {
  gitea: openGitea,
  forgejo: openGitea,
  github: openGithub,
  gitlab: openGitlab,
}

/**
 * Services by the names that clients use (reference repositories §15); all take a token as the password of `oauth2`.
 */
const forges = new Map<string, RemoteForge>(
  ['github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'codecommit'].map((name) => {
    const open = sources[name]
    return [name, { ...plainGit, name, ...(open && { open, parts: new Set<MetadataPart>(['labels', 'releases']) }) }]
  }),
)

/** Unknown services are plain git. */
export const forgeOf = (service: string | undefined): RemoteForge =>
  forges.get((service ?? '').toLowerCase()) ?? plainGit

/**
 * What was asked for and cannot be brought, in words; undefined when nothing is left out. Plain git has no metadata:
 * flags mean nothing there.
 */
export function leftOut(forge: RemoteForge, wanted: ReadonlySet<MetadataPart>): string | undefined {
  const missing = forge === plainGit ? [] : METADATA_PARTS.filter((part) => wanted.has(part) && !forge.parts.has(part))
  return missing.length === 0
    ? undefined
    : `not imported, because this server cannot import them from ${forge.name}: ${missing.join(', ').replaceAll('_', ' ')}`
}
