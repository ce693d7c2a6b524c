import type { AvatarTable } from './avatar.ts'
import type { AccessTokenTable } from './access-token.ts'
import type { CommitStatusTable } from './commit-status.ts'
import type { ActivityTable } from './activity.ts'
import type { BadgeTable, UserBadgeTable } from './badge.ts'
import type { UserBlockTable } from './block.ts'
import type { CronTaskTable, EventTable, JobTable } from './event.ts'
import type { OauthApplicationTable, OauthChainTable, OauthCodeTable, OauthGrantTable } from './oauth.ts'
import type { LabelTable } from './label.ts'
import type { LfsLinkTable, LfsLockTable } from './lfs.ts'
import type { RenamedBranchTable } from './renamed-branch.ts'
import type { GpgKeyTable } from './gpg-key.ts'
import type { OrgMemberTable, TeamMemberTable, TeamRepoTable, TeamTable, TeamUnitTable } from './organization.ts'
import type { BranchTable, CollaborationTable, PushTable, RepoFlagTable, RepoLanguagesTable, RepoRedirectTable, RepoTable, RepoTransferTable, StarTable, WatchTable } from './repo.ts'
import type { MirrorTable, PushMirrorTable } from './mirror.ts'
import type { BranchRuleTable, BranchRuleTeamTable, BranchRuleUserTable, TagRuleTable, TagRuleTeamTable, TagRuleUserTable } from './protection.ts'
import type { DeployKeyTable, PublicKeyTable, UserKeyTable } from './public-key.ts'
import type { ArchiveDownloadTable, AttachmentTable, ReleaseTable } from './release.ts'
import type { RepoTopicTable, TopicTable } from './topic.ts'
import type { SigningKeyTable, WebSessionTable } from './sign-in.ts'
import type { QuotaGroupRuleTable, QuotaGroupTable, QuotaGroupUserTable, QuotaRuleTable } from './quota.ts'
import type { TwoFactorRecoveryTable, TwoFactorTable } from './two-factor.ts'
import type { UnfinishedImportTable } from './unfinished-import.ts'
import type { EmailAddressTable, FollowTable, UserRedirectTable, UserTable } from './user.ts'
import type { WebhookTable } from './webhook.ts'

/** Every table, by its name in the database. */
export interface Tables {
  access_token: AccessTokenTable
  activity: ActivityTable
  archive_download: ArchiveDownloadTable
  attachment: AttachmentTable
  avatar: AvatarTable
  badge: BadgeTable
  branch: BranchTable
  branch_rule: BranchRuleTable
  branch_rule_team: BranchRuleTeamTable
  branch_rule_user: BranchRuleUserTable
  collaboration: CollaborationTable
  commit_status: CommitStatusTable
  cron_task: CronTaskTable
  deploy_key: DeployKeyTable
  email_address: EmailAddressTable
  event: EventTable
  follow: FollowTable
  gpg_key: GpgKeyTable
  job: JobTable
  label: LabelTable
  lfs_link: LfsLinkTable
  lfs_lock: LfsLockTable
  renamed_branch: RenamedBranchTable
  mirror: MirrorTable
  oauth_application: OauthApplicationTable
  oauth_chain: OauthChainTable
  oauth_code: OauthCodeTable
  oauth_grant: OauthGrantTable
  org_member: OrgMemberTable
  public_key: PublicKeyTable
  push: PushTable
  push_mirror: PushMirrorTable
  quota_group: QuotaGroupTable
  quota_group_rule: QuotaGroupRuleTable
  quota_group_user: QuotaGroupUserTable
  quota_rule: QuotaRuleTable
  release: ReleaseTable
  repo: RepoTable
  repo_flag: RepoFlagTable
  repo_languages: RepoLanguagesTable
  repo_redirect: RepoRedirectTable
  repo_topic: RepoTopicTable
  repo_transfer: RepoTransferTable
  signing_key: SigningKeyTable
  star: StarTable
  tag_rule: TagRuleTable
  tag_rule_team: TagRuleTeamTable
  tag_rule_user: TagRuleUserTable
  team: TeamTable
  team_member: TeamMemberTable
  team_repo: TeamRepoTable
  team_unit: TeamUnitTable
  topic: TopicTable
  two_factor: TwoFactorTable
  two_factor_recovery: TwoFactorRecoveryTable
  unfinished_import: UnfinishedImportTable
  user: UserTable
  user_badge: UserBadgeTable
  user_block: UserBlockTable
  user_key: UserKeyTable
  user_redirect: UserRedirectTable
  watch: WatchTable
  webhook: WebhookTable
  web_session: WebSessionTable
}
