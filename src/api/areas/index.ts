import type { Operation } from '../operation.ts'
import { archiveOperations } from './archives/archives.area.ts'
import { adminUserOperations } from './admin/admin-users.area.ts'
import { badgeOperations } from './admin/badges.area.ts'
import { unadoptedOperations } from './admin/unadopted.area.ts'
import { cronOperations } from './admin/cron.area.ts'
import { avatarOperations } from './avatars/avatars.area.ts'
import { branchWriteOperations } from './branches/branch-writes.area.ts'
import { branchOperations } from './branches/branches.area.ts'
import { quotaOperations } from './quota/quota.area.ts'
import { assigneeOperations } from './collaborators/assignees.area.ts'
import { collaboratorOperations } from './collaborators/collaborators.area.ts'
import { commitOperations } from './commits/commits.area.ts'
import { compareOperations } from './commits/compare.area.ts'
import { contentsOperations } from './contents/contents.area.ts'
import { fileContentsOperations } from './contents/file-contents.area.ts'
import { writeContentsOperations } from './contents/write-contents.area.ts'
import { rawOperations } from './contents/raw.area.ts'
import { branchProtectionOperations } from './protections/branch-protections.area.ts'
import { tagProtectionOperations } from './protections/tag-protections.area.ts'
import type { AreaDeps } from './deps.ts'
import { gitDataOperations } from './git-data/git-data.area.ts'
import { gpgKeyOperations } from './keys/gpg-keys.area.ts'
import { deployKeyOperations } from './keys/deploy-keys.area.ts'
import { nodeInfoOperations } from './fediverse/node-info.area.ts'
import { gitHookOperations } from './hooks/git-hooks.area.ts'
import { hookOperations } from './hooks/hooks.area.ts'
import { sshKeyOperations } from './keys/ssh-keys.area.ts'
import { labelOperations } from './labels/labels.area.ts'
import { markupOperations } from './markup/markup.area.ts'
import { oauthApplicationOperations } from './oauth/applications.area.ts'
import { migrateOperations } from './mirrors/migrate.area.ts'
import { pushMirrorOperations } from './mirrors/push-mirrors.area.ts'
import { pullMirrorOperations } from './mirrors/pull-mirrors.area.ts'
import { orgOperations } from './orgs/orgs.area.ts'
import { flagOperations } from './repos/flags.area.ts'
import { releaseAssetOperations } from './releases/assets.area.ts'
import { releaseOperations } from './releases/releases.area.ts'
import { forkOperations } from './repos/forks.area.ts'
import { generateOperations } from './repos/generate.area.ts'
import { issueTemplateOperations } from './repos/issue-templates.area.ts'
import { languageOperations } from './repos/languages.area.ts'
import { repoChangeOperations } from './repos/changes.area.ts'
import { reposOperations } from './repos/repos.area.ts'
import { syncForkOperations } from './repos/sync-fork.area.ts'
import { transferOperations } from './repos/transfer.area.ts'
import { settingsOperations } from './settings/settings.area.ts'
import { activityOperations } from './social/activities.area.ts'
import { blockOperations } from './social/blocks.area.ts'
import { signingOperations } from './signing/signing.area.ts'
import { socialListOperations } from './social/lists.area.ts'
import { starOperations } from './social/stars.area.ts'
import { watchingOperations } from './social/watching.area.ts'
import { statusOperations } from './statuses/statuses.area.ts'
import { templateOperations } from './templates/templates.area.ts'
import { tagOperations } from './tags/tags.area.ts'
import { repoTeamOperations } from './teams/repo-teams.area.ts'
import { teamOperations } from './teams/teams.area.ts'
import { tokenOperations } from './tokens/tokens.area.ts'
import { topicOperations } from './topics/topics.area.ts'
import { twoFactorOperations } from './two-factor/two-factor.area.ts'
import { emailOperations } from './users/emails.area.ts'
import { followOperations } from './users/follow.area.ts'
import { userSettingsOperations } from './users/settings.area.ts'
import { userOperations } from './users/users.area.ts'
import { wikiOperations } from './wiki/wiki.area.ts'

/** Every operation of the API. The server, OpenAPI, the permission matrix and the coverage gate read this list. */
export function allOperations(deps: AreaDeps): Operation[] {
  const areas = [
    activityOperations,
    adminUserOperations,
    archiveOperations,
    assigneeOperations,
    badgeOperations,
    blockOperations,
    avatarOperations,
    branchOperations,
    branchProtectionOperations,
    branchWriteOperations,
    collaboratorOperations,
    commitOperations,
    compareOperations,
    contentsOperations,
    cronOperations,
    deployKeyOperations,
    fileContentsOperations,
    flagOperations,
    generateOperations,
    gitDataOperations,
    emailOperations,
    followOperations,
    gitHookOperations,
    gpgKeyOperations,
    hookOperations,
    issueTemplateOperations,
    labelOperations,
    languageOperations,
    markupOperations,
    oauthApplicationOperations,
    migrateOperations,
    nodeInfoOperations,
    orgOperations,
    pullMirrorOperations,
    pushMirrorOperations,
    rawOperations,
    releaseAssetOperations,
    quotaOperations,
    releaseOperations,
    forkOperations,
    repoChangeOperations,
    repoTeamOperations,
    reposOperations,
    settingsOperations,
    signingOperations,
    socialListOperations,
    sshKeyOperations,
    starOperations,
    statusOperations,
    templateOperations,
    tagOperations,
    syncForkOperations,
    tagProtectionOperations,
    teamOperations,
    tokenOperations,
    topicOperations,
    transferOperations,
    twoFactorOperations,
    unadoptedOperations,
    userOperations,
    userSettingsOperations,
    watchingOperations,
    wikiOperations,
    writeContentsOperations,
  ]
  return areas.flatMap((area) => area(deps))
}
