import type { RemoteCredentials } from '../../../core/git/index.ts'
import type { OpenSource } from './source.ts'
import { openGitea } from './sources/gitea.source.ts'
import { openGithub } from './sources/github.source.ts'
import { openGitlab } from './sources/gitlab.source.ts'

/** Kinds of data of a repository besides git data and wiki. */
export const METADATA_PARTS = ['labels', 'milestones', 'issues', 'pull_requests', 'releases'] as const
export type MetadataPart = (typeof METADATA_PARTS)[number]

/** A kind of server to import from: how git authenticates there and which metadata this server can read. */
export interface RemoteForge {
  readonly name: string
  /** Absent if only git data can be read. */
  readonly open?: OpenSource
  readonly parts: ReadonlySet<MetadataPart>
  /** Git credentials for an access token of the service. */
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
 * Forges by the names that clients use (behaviour/repositories#imports-and-pull-mirrors). All accept a token as the
 * password of `oauth2`.
 */
const forges = new Map<string, RemoteForge>(
  ['github', 'gitea', 'forgejo', 'gitlab', 'gogs', 'onedev', 'gitbucket', 'codebase', 'codecommit'].map((name) => {
    const open = sources[name]
    return [name, { ...plainGit, name, ...(open && { open, parts: new Set<MetadataPart>(['labels', 'releases']) }) }]
  }),
)

/** Unknown services count as plain git. */
export const forgeOf = (service: string | undefined): RemoteForge =>
  forges.get((service ?? '').toLowerCase()) ?? plainGit

export const isService = (name: string): boolean => forgeOf(name).name === name.toLowerCase()

/**
 * A sentence about requested metadata that cannot be imported; undefined if there is none. Plain git has no metadata.
 */
export function leftOut(forge: RemoteForge, wanted: ReadonlySet<MetadataPart>): string | undefined {
  const missing = forge === plainGit ? [] : METADATA_PARTS.filter((part) => wanted.has(part) && !forge.parts.has(part))
  return missing.length === 0
    ? undefined
    : `not imported, because this server cannot import them from ${forge.name}: ${missing.join(', ').replaceAll('_', ' ')}`
}
