import type { Operation } from '../http/operation.ts'
import { badgeOperations } from '../subjects/admin/badges.operations.ts'
import { cronOperations } from '../subjects/admin/cron.operations.ts'
import { unadoptedOperations } from '../subjects/admin/unadopted.operations.ts'
import { archiveOperations } from '../subjects/archives/archives.operations.ts'
import { avatarOperations } from '../subjects/avatars/avatars.operations.ts'
import { assigneeOperations } from '../subjects/collaborators/assignees.operations.ts'
import { collaboratorOperations } from '../subjects/collaborators/collaborators.operations.ts'
import { deployKeyOperations } from '../subjects/collaborators/deploy-keys.operations.ts'
import { repoTeamOperations } from '../subjects/collaborators/repo-teams.operations.ts'
import { contentsOperations } from '../subjects/contents/contents.operations.ts'
import { fileContentsOperations } from '../subjects/contents/file-contents.operations.ts'
import { issueTemplateOperations } from '../subjects/contents/issue-templates.operations.ts'
import { rawOperations } from '../subjects/contents/raw.operations.ts'
import { writeContentsOperations } from '../subjects/contents/write-contents.operations.ts'
import { forkOperations } from '../subjects/forks/forks.operations.ts'
import { generateOperations } from '../subjects/forks/generate.operations.ts'
import { syncForkOperations } from '../subjects/forks/sync-fork.operations.ts'
import { commitOperations } from '../subjects/history/commits.operations.ts'
import { compareOperations } from '../subjects/history/compare.operations.ts'
import { gitHookOperations } from '../subjects/hooks/git-hooks.operations.ts'
import { hookOperations } from '../subjects/hooks/hooks.operations.ts'
import { migrateOperations } from '../subjects/imports/migrate.operations.ts'
import { nodeInfoOperations } from '../subjects/instance/node-info.operations.ts'
import { settingsOperations } from '../subjects/instance/settings.operations.ts'
import { gpgKeyOperations } from '../subjects/keys/gpg-keys.operations.ts'
import { sshKeyOperations } from '../subjects/keys/ssh-keys.operations.ts'
import { labelOperations } from '../subjects/labels/labels.operations.ts'
import { languageOperations } from '../subjects/languages/languages.operations.ts'
import { markupOperations } from '../subjects/markup/markup.operations.ts'
import { pullMirrorOperations } from '../subjects/mirrors/pull-mirrors.operations.ts'
import { pushMirrorOperations } from '../subjects/mirrors/push-mirrors.operations.ts'
import { oauthApplicationOperations } from '../subjects/oauth/applications.operations.ts'
import { orgOperations } from '../subjects/orgs/orgs.operations.ts'
import { teamOperations } from '../subjects/orgs/teams.operations.ts'
import { branchProtectionOperations } from '../subjects/protections/branch-protections.operations.ts'
import { tagProtectionOperations } from '../subjects/protections/tag-protections.operations.ts'
import { quotaOperations } from '../subjects/quota/quota.operations.ts'
import { branchWriteOperations } from '../subjects/refs/branch-writes.operations.ts'
import { branchOperations } from '../subjects/refs/branches.operations.ts'
import { gitDataOperations } from '../subjects/refs/git-data.operations.ts'
import { tagOperations } from '../subjects/refs/tags.operations.ts'
import { releaseAssetOperations } from '../subjects/releases/assets.operations.ts'
import { releaseOperations } from '../subjects/releases/releases.operations.ts'
import { repoChangeOperations } from '../subjects/repos/changes.operations.ts'
import { flagOperations } from '../subjects/repos/flags/flags.operations.ts'
import { reposOperations } from '../subjects/repos/repos.operations.ts'
import { tokenOperations } from '../subjects/sign-in/tokens.operations.ts'
import { twoFactorOperations } from '../subjects/sign-in/two-factor.operations.ts'
import { signingOperations } from '../subjects/signing/signing.operations.ts'
import { activityOperations } from '../subjects/social/activities.operations.ts'
import { socialListOperations } from '../subjects/social/lists.operations.ts'
import { starOperations } from '../subjects/social/stars.operations.ts'
import { watchingOperations } from '../subjects/social/watching.operations.ts'
import { statusOperations } from '../subjects/statuses/statuses.operations.ts'
import { templateOperations } from '../subjects/templates/templates.operations.ts'
import { topicOperations } from '../subjects/topics/topics.operations.ts'
import { transferOperations } from '../subjects/transfers/transfer.operations.ts'
import { adminUserOperations } from '../subjects/users/admin-users.operations.ts'
import { blockOperations } from '../subjects/users/blocks.operations.ts'
import { emailOperations } from '../subjects/users/emails.operations.ts'
import { followOperations } from '../subjects/users/follow.operations.ts'
import { userSettingsOperations } from '../subjects/users/settings.operations.ts'
import { userOperations } from '../subjects/users/users.operations.ts'
import { wikiOperations } from '../subjects/wiki/wiki.operations.ts'
import type { AreaDeps } from './deps.ts'

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
