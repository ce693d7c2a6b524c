import type { Config } from '../config/index.ts'
import type { Guard } from '../http/guards/guard.ts'
import type { Schedule } from '../jobs/index.ts'
import type { Site } from '../platform/site.ts'
import type { Adoption } from '../subjects/admin/adoption.ts'
import type { Badges } from '../subjects/admin/badges.service.ts'
import type { AccountRemoval } from '../subjects/admin/remove-account.ts'
import type { Attachments } from '../subjects/attachments/attachments.service.ts'
import type { UploadRules } from '../subjects/attachments/upload-rules.policy.ts'
import type { Avatars } from '../subjects/avatars/avatars.service.ts'
import type { Collaboration } from '../subjects/collaborators/collaboration.service.ts'
import type { DeployKeys } from '../subjects/collaborators/deploy-keys.service.ts'
import type { RepoTeams, TeamRepos } from '../subjects/collaborators/team-repos.service.ts'
import type { Media } from '../subjects/contents/media.ts'
import type { Forks } from '../subjects/forks/forks.service.ts'
import type { GenerateRepoFor } from '../subjects/forks/generate-repo.ts'
import type { Hooks } from '../subjects/hooks/hooks.service.ts'
import type { Migrations } from '../subjects/imports/imports.service.ts'
import type { Fediverse } from '../subjects/instance/fediverse.ts'
import type { GpgKeys } from '../subjects/keys/gpg-keys.service.ts'
import type { SshKeys } from '../subjects/keys/ssh-keys.service.ts'
import type { Labels } from '../subjects/labels/labels.service.ts'
import type { Languages } from '../subjects/languages/languages.service.ts'
import type { Markup } from '../subjects/markup/markup.service.ts'
import type { PullMirrors } from '../subjects/mirrors/pull-mirrors.service.ts'
import type { PushMirrors } from '../subjects/mirrors/push-mirrors.service.ts'
import type { OauthApplications } from '../subjects/oauth/applications.service.ts'
import type { OrgMembers } from '../subjects/orgs/org-members.service.ts'
import type { OrgGuards } from '../subjects/orgs/org.guards.ts'
import type { Orgs } from '../subjects/orgs/orgs.service.ts'
import type { TeamMembers } from '../subjects/orgs/team-members.service.ts'
import type { TeamInView, Teams } from '../subjects/orgs/teams.service.ts'
import type { BranchProtections } from '../subjects/protections/branch-protections.service.ts'
import type { TagProtections } from '../subjects/protections/tag-protections.service.ts'
import type { QuotaGroups } from '../subjects/quota/quota-groups.service.ts'
import type { QuotaRules } from '../subjects/quota/quota-rules.service.ts'
import type { QuotaView } from '../subjects/quota/quota-view.ts'
import type { Releases } from '../subjects/releases/releases.service.ts'
import type { CreateRepoGuards } from '../subjects/repos/creation/create-repo.guards.ts'
import type { RepoFlags } from '../subjects/repos/flags/flags.service.ts'
import type { RepoInView } from '../subjects/repos/lookup.ts'
import type { RepoChanges } from '../subjects/repos/repo-changes.service.ts'
import type { RepoGuard } from '../subjects/repos/repo.guards.ts'
import type { Repos } from '../subjects/repos/repos.service.ts'
import type { TrackerGuard } from '../subjects/repos/tracker.guards.ts'
import type { Tokens } from '../subjects/sign-in/tokens.service.ts'
import type { TwoFactorAuth } from '../subjects/sign-in/two-factor.service.ts'
import type { CommitSigner } from '../subjects/signing/signing.ts'
import type { Activities } from '../subjects/social/activities.service.ts'
import type { Social } from '../subjects/social/social.service.ts'
import type { Topics } from '../subjects/topics/topics.service.ts'
import type { Transfers } from '../subjects/transfers/transfers.service.ts'
import type { Blocks } from '../subjects/users/blocks.service.ts'
import type { Emails } from '../subjects/users/emails.service.ts'
import type { Follows } from '../subjects/users/follows.service.ts'
import type { UserSettings } from '../subjects/users/user-settings.service.ts'
import type { UserGuards } from '../subjects/users/user.guards.ts'
import type { Users } from '../subjects/users/users.service.ts'
import type { WikiGuard } from '../subjects/wiki/wiki.guards.ts'
import type { Wikis } from '../subjects/wiki/wikis.service.ts'
import type { Code } from './code.service.ts'

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
  readonly guards: UserGuards &
    OrgGuards & {
      readonly createRepo: CreateRepoGuards
      readonly repo: RepoGuard
      readonly repoById: Guard<RepoInView>
      readonly team: (role: 'member' | 'owner') => Guard<TeamInView>
      readonly tracker: TrackerGuard
      readonly wiki: WikiGuard
    }
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
