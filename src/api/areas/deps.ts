import type { Config } from '../../config/index.ts'
import type { TwoFactorAuth } from '../../domain/access/index.ts'
import type { AccountRemoval, Adoption, Badges, Fediverse } from '../../domain/admin/index.ts'
import type { Attachments, UploadRules } from '../../domain/attachments/index.ts'
import type { CommitSigner } from '../../domain/signing/index.ts'
import type { Code, Languages, Media } from '../../domain/code/index.ts'
import type { Avatars } from '../../domain/avatars/index.ts'
import type { OauthApplications } from '../../domain/oauth/index.ts'
import type { Hooks } from '../../domain/hooks/index.ts'
import type { OrgMembers, Orgs, RepoTeams, TeamInView, TeamMembers, TeamRepos, Teams } from '../../domain/orgs/index.ts'
import type { Labels } from '../../domain/labels/index.ts'
import type { Markup } from '../../domain/markup/index.ts'
import type { Migrations } from '../../domain/migrations/index.ts'
import type { PullMirrors, PushMirrors } from '../../domain/mirrors/index.ts'
import type { BranchProtections, TagProtections } from '../../domain/protections/index.ts'
import type { QuotaGroups, QuotaRules, QuotaView } from '../../domain/quota/index.ts'
import type { Releases } from '../../domain/releases/index.ts'
import type { DeployKeys, Forks, GenerateRepoFor, RepoChanges, RepoFlags, RepoInView, Repos, Transfers } from '../../domain/repos/index.ts'
import type { Collaboration } from '../../domain/collaboration/index.ts'
import type { Activities, Blocks, Social, Topics } from '../../domain/social/index.ts'
import type { Emails, Follows, GpgKeys, SshKeys, Tokens, Users, UserSettings } from '../../domain/users/index.ts'
import type { Wikis } from '../../domain/wiki/index.ts'
import type { Site } from '../../present/site.ts'
import type { Schedule } from '../../jobs/index.ts'
import type { CreateRepoGuards } from '../guards/create-repo.guards.ts'
import type { Guard } from '../guards/guard.ts'
import type { OrgGuards } from '../guards/org.guards.ts'
import type { RepoGuard } from '../guards/repo.guards.ts'
import type { TrackerGuard } from '../guards/tracker.guards.ts'
import type { WikiGuard } from '../guards/wiki.guards.ts'
import type { UserGuards } from '../guards/user.guards.ts'

/** What areas are made of; each takes the few it needs. */
export interface AreaDeps {
  readonly accountRemoval: AccountRemoval
  readonly activities: Activities
  readonly adoption: Adoption
  readonly avatars: Avatars
  readonly badges: Badges
  readonly blocks: Blocks
  readonly attachments: Attachments
  readonly branchProtections: BranchProtections
  readonly code: Code
  readonly collaboration: Collaboration
  readonly config: Config
  readonly deployKeys: DeployKeys
  readonly generateRepo: GenerateRepoFor
  readonly emails: Emails
  readonly fediverse: Fediverse
  readonly follows: Follows
  readonly gpgKeys: GpgKeys
  readonly site: Site
  readonly guards: UserGuards & OrgGuards & { readonly createRepo: CreateRepoGuards; readonly repo: RepoGuard; readonly repoById: Guard<RepoInView>; readonly team: (role: 'member' | 'owner') => Guard<TeamInView>; readonly tracker: TrackerGuard; readonly wiki: WikiGuard }
  readonly oauthApplications: OauthApplications
  readonly hooks: Hooks
  readonly labels: Labels
  readonly orgMembers: OrgMembers
  readonly markup: Markup
  readonly media: Media
  readonly migrations: Migrations
  readonly orgs: Orgs
  readonly pullMirrors: PullMirrors
  readonly pushMirrors: PushMirrors
  readonly quotaGroups: QuotaGroups
  readonly quotaRules: QuotaRules
  readonly quotaView: QuotaView
  readonly forks: Forks
  readonly releases: Releases
  readonly repoChanges: RepoChanges
  readonly languages: Languages
  readonly repoFlags: RepoFlags
  readonly repoTeams: RepoTeams
  readonly repos: Repos
  readonly schedule: Schedule
  readonly signer: CommitSigner | undefined
  readonly sshKeys: SshKeys
  readonly social: Social
  readonly tagProtections: TagProtections
  readonly teamMembers: TeamMembers
  readonly teamRepos: TeamRepos
  readonly teams: Teams
  readonly tokens: Tokens
  readonly topics: Topics
  readonly twoFactor: TwoFactorAuth
  readonly uploadRules: { readonly releases: UploadRules; readonly issues: UploadRules }
  readonly users: Users
  readonly transfers: Transfers
  readonly userSettings: UserSettings
  readonly wikis: Wikis
}
