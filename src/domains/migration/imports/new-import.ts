import type { Core, Services } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Processes } from '../../../core/platform/concurrency/processes.ts'
import type { Repo, UploadRules } from '../../repositories/index.ts'
import type { LfsTransfers } from '../../code/index.ts'
import type { RemoteAccess } from '../mirrors/remote-access.ts'
import type { User } from '../../accounts/index.ts'
import type { AwsKeys, SourceDeps, OpenSource } from './source-location.ts'
import type { RemoteCredentials } from '../../../core/git/index.ts'
import { openCodebase } from './sources/codebase/codebase.source.ts'
import { openCodecommit } from './sources/codecommit/codecommit.source.ts'
import { openGitea } from './sources/gitea/gitea.source.ts'
import { openGitbucket, openGithub } from './sources/github/github.source.ts'
import { openGitlab } from './sources/gitlab/gitlab.source.ts'
import { openGogs } from './sources/gogs/gogs.source.ts'
import { openOnedev } from './sources/onedev/onedev.source.ts'

/** Kinds of data of a repository, except git data and wiki. */
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
  // GitHub's API takes several tokens, separated by commas; git takes one.
  tokenCredentials: (token) => ({ username: 'oauth2', password: token.split(',', 1)[0]!.trim() }),
}

const forge = (name: string, open?: OpenSource, parts: readonly MetadataPart[] = METADATA_PARTS): RemoteForge => ({
  ...plainGit,
  name,
  ...(open && { open, parts: new Set(parts) }),
})

/**
 * Forges by the names that clients use (behaviour/repositories#imports-and-pull-mirrors). All accept a token as the
 * password of `oauth2`.
 */
const forges = new Map<string, RemoteForge>(
  [
    forge('github', openGithub),
    forge('gitea', openGitea),
    forge('forgejo', openGitea),
    forge('gitlab', openGitlab),
    forge('gitbucket', openGitbucket),
    forge('gogs', openGogs, ['labels', 'milestones', 'issues']),
    forge('onedev', openOnedev, ['labels', 'milestones', 'issues', 'pull_requests']),
    forge('codebase', openCodebase, ['labels', 'milestones', 'issues', 'pull_requests']),
    forge('codecommit', openCodecommit, ['pull_requests']),
  ].map((each) => [each.name, each]),
)

/** Unknown services count as plain git. */
export const forgeOf = (service: string | undefined): RemoteForge =>
  forges.get((service ?? '').toLowerCase()) ?? plainGit

export const isService = (name: string): boolean => forgeOf(name).name === name.toLowerCase()

/** A sentence about requested metadata that cannot be imported; undefined without any. Plain git has no metadata. */
export function leftOut(forge: RemoteForge, wanted: ReadonlySet<MetadataPart>): string | undefined {
  const missing = forge === plainGit ? [] : METADATA_PARTS.filter((part) => wanted.has(part) && !forge.parts.has(part))
  return missing.length === 0
    ? undefined
    : `not imported, because this server cannot import them from ${forge.name}: ${missing.join(', ').replaceAll('_', ' ')}`
}

export interface NewImport {
  readonly address: string
  readonly name: string
  readonly service?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly token?: string | undefined
  readonly awsKeys?: AwsKeys | undefined
  readonly description?: string | undefined
  readonly isPrivate?: boolean | undefined
  /** Create a pull mirror. */
  readonly isMirror?: boolean | undefined
  /** Duration text; the default of the server if empty. */
  readonly mirrorInterval?: string | undefined
  readonly wiki?: boolean | undefined
  /** Import large files; ignored if LFS is disabled. */
  readonly lfs?: boolean | undefined
  /** Address of the LFS server unless derived from `address`; may contain credentials. */
  readonly lfsEndpoint?: string | undefined
  readonly parts: ReadonlySet<MetadataPart>
  /**
   * Numbers of issues and pull requests that have changed: they are imported again into the repository with this name.
   * Only for administrators.
   */
  readonly changed?: readonly number[] | undefined
  /** Names of accounts of this server by those of the service; only of administrators. */
  readonly users?: Readonly<Record<string, string>> | undefined
  /**
   * Also maps accounts of the service to those here with the same confirmed e-mail address; only for administrators.
   */
  readonly usersByEmail?: boolean | undefined
  /** Keeps mapped assignees and reviewers who cannot read the repository yet; only for administrators. */
  readonly keepsAssignees?: boolean | undefined
}

export interface ImportSettings {
  readonly disabled: boolean
  /** New pull mirrors are allowed. */
  readonly mirrorsEnabled: boolean
  /** Milliseconds. */
  readonly defaultInterval: number
  readonly minInterval: number
}

/** Services for large files; absent if LFS is disabled. */
export interface LargeFileServices {
  readonly lfsObjects: Services['lfsObjects']
  readonly lfsTransfers: LfsTransfers
}

export interface ImportDeps extends Pick<Core, 'clock' | 'database' | 'events' | 'git' | 'jobs' | 'log' | 'secrets'> {
  readonly processes: Pick<Processes, 'acrossMachines' | 'announce' | 'ended' | 'onAnnounced' | 'self'>
  readonly access: RemoteAccess
  readonly pushes: Pick<Services['pushes'], 'moveRefs'>
  readonly rules: Services['repoRules']
  readonly quota: Services['quota']
  readonly settings: ImportSettings
  readonly largeFiles: LargeFileServices | undefined
  readonly attachments: Services['attachments']
  readonly releaseRules: UploadRules
  /** Rules for files of issues and comments. */
  readonly issueRules: UploadRules
  /** Reactions that this server has. */
  readonly reactions: ReadonlySet<string>
  /** Pinned issues, and pinned pull requests, of a repository. */
  readonly maxPins: number
  readonly site: Core['site']
  /** Titles of pull requests that begin with one of these are drafts. */
  readonly draftPrefixes: readonly string[]
  readonly sources: SourceDeps
}

export interface ImportedRepo {
  readonly repo: Repo
  /** Sentences about data that was not imported, with reasons; empty if everything was imported. */
  readonly warnings: readonly string[]
}

/** The account that imports, and the owner of the new repository. */
export interface ImportOwner {
  readonly actor: SignedIn
  /** Owner of the new repository; the actor may create repositories for it. */
  readonly owner: User
}
