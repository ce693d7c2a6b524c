import type { Kysely } from 'kysely'
import type { Migration, MigrationProvider } from 'kysely/migration'
import type { Schema } from './_helpers.ts'
import { createUsers } from './0001-users.ts'
import { createOrganizations } from './0002-organizations.ts'
import { createRepos } from './0003-repos.ts'
import { createEventsAndJobs } from './0004-events-and-jobs.ts'
import { addUserSearch } from './0101-user-search.ts'
import { createPublicKeys } from './0102-public-keys.ts'
import { addMemberTimes } from './0201-member-times.ts'
import { createRepoTransfersAndMirrors } from './0301-repo-transfers-and-mirrors.ts'
import { createTopics } from './0311-topics.ts'
import { addTokenRestrictions } from './0511-restricted-tokens.ts'
import { createOauth2 } from './0512-oauth2.ts'
import { createCommitStatuses } from './0611-commit-statuses.ts'
import { createUserBlocks } from './0501-user-blocks.ts'
import { createActivities } from './0502-activities.ts'
import { createGpgKeys } from './0521-gpg-keys.ts'
import { createAvatars } from './0522-avatars.ts'
import { createRepoFlags } from './0601-repo-flags.ts'
import { createRepoLanguages } from './0602-repo-languages.ts'
import { createTwoFactor } from './0513-two-factor.ts'
import { createMirrorRemotes } from './0631-mirror-remotes.ts'
import { addMirrorWikis } from './0632-mirror-wikis.ts'
import { createReleasesAndAttachments } from './0621-releases-and-attachments.ts'
import { createBadges } from './0503-badges.ts'
import { createWebhooks } from './0504-webhooks.ts'
import { createSignIn } from './0514-sign-in.ts'
import { createProtections } from './0612-protections.ts'
import { createArchiveDownloads } from './0622-archive-downloads.ts'
import { createLfs } from './0641-lfs.ts'
import { addListIndexes } from './0701-list-indexes.ts'
import { createQuota } from './0882-quota.ts'
import { createLabels } from './0881-labels.ts'
import { addWikiTips } from './0941-wiki-tips.ts'
import { createRenamedBranches } from './0711-renamed-branches.ts'
import { addMirrorLfs } from './0861-mirror-lfs.ts'
import { createUnfinishedImports } from './0862-unfinished-imports.ts'
import { addSuspendedUnits } from './0863-suspended-units.ts'
import { createAuditLog } from './0961-audit-log.ts'
import { addCodeChains } from './0962-used-codes.ts'
import { createMilestones } from './0970-milestones.ts'
import { createIssueSearch } from './0975-issue-search.ts'
import { indexLabelNames } from './0976-label-names.ts'
import { createIssues } from './0971-issues.ts'
import { createFormerTexts } from './0972-former-texts.ts'
import { indexEntriesByActor } from './0973-entries-by-actor.ts'
import { createIssueWatches } from './0983-issue-watches.ts'
import { createNotifications } from './0984-notifications.ts'
import { createIssueDependencies } from './0978-issue-dependencies.ts'
import { indexPinnedIssues } from './0979-pinned-issues.ts'
import { createReactions } from './0980-reactions.ts'
import { createIssueRedirects } from './0982-issue-redirects.ts'
import { createActionsSecrets } from './1000-actions-secrets.ts'
import { createPackages } from './1001-packages.ts'
import { createTrackedTimes } from './0981-tracked-times.ts'
import { orderListIndexes } from './0801-list-indexes.ts'
import { addRepoOrderIndex } from './0802-repo-order-index.ts'
import { createActionArtifacts } from './1012-action-artifacts.ts'
import { createActionRuns } from './1011-action-runs.ts'
import { createActionRunners } from './1010-action-runners.ts'
import { createReferences } from './0988-references.ts'
import { createPulls } from './1050-pulls.ts'
import { createReviewComments } from './1061-review-comments.ts'
import { createReviews } from './1060-reviews.ts'
import { createMerges } from './1070-merges.ts'
import { addIssuesOfActivities } from './0989-issue-activities.ts'
import { indexEventsOfRepos } from './0990-events-of-repos.ts'
import { createHookDeliveries } from './1030-hook-deliveries.ts'
import { createMergeQueue } from './1080-merge-queue.ts'
import { indexReviewTexts } from './1095-review-texts.ts'
import { mergeIndexOnInsertAlone } from './1096-issue-index-merges.ts'
import { indexTextsInBatches } from './1125-issue-index-batches.ts'
import { createSchemaRelease } from './1100-schema-release.ts'
import { createClusterLocks } from './1110-cluster-locks.ts'
import { addLeaseHolders } from './1111-lease-holders.ts'
import { addImportHolders } from './1112-import-holders.ts'
import { addMergeLeftovers } from './1130-merge-leftovers.ts'
import { createNodes } from './1101-nodes.ts'
import { sortTextsByBytes } from './1160-texts-by-bytes.ts'
import { countReviewsWithComments } from './1170-reviews-counted.ts'
import { addScheduledHead } from './1180-merge-schedule-head.ts'
import { addFormerBase } from './1181-review-former-base.ts'
import { addCredentialRestrictions } from './1190-credential-restrictions.ts'

type Step = (schema: Schema) => Promise<void>

/** In the order in which they are applied. Never edit one after a release; add another. */
const steps: Record<string, Step> = {
  '0001-users': createUsers,
  '0002-organizations': createOrganizations,
  '0003-repos': createRepos,
  '0004-events-and-jobs': createEventsAndJobs,
  '0101-user-search': addUserSearch,
  '0102-public-keys': createPublicKeys,
  '0201-member-times': addMemberTimes,
  '0301-repo-transfers-and-mirrors': createRepoTransfersAndMirrors,
  '0311-topics': createTopics,
  '0511-restricted-tokens': addTokenRestrictions,
  '0512-oauth2': createOauth2,
  '0611-commit-statuses': createCommitStatuses,
  '0501-user-blocks': createUserBlocks,
  '0502-activities': createActivities,
  '0521-gpg-keys': createGpgKeys,
  '0522-avatars': createAvatars,
  '0601-repo-flags': createRepoFlags,
  '0602-repo-languages': createRepoLanguages,
  '0513-two-factor': createTwoFactor,
  '0631-mirror-remotes': createMirrorRemotes,
  '0632-mirror-wikis': addMirrorWikis,
  '0621-releases-and-attachments': createReleasesAndAttachments,
  '0622-archive-downloads': createArchiveDownloads,
  '0503-badges': createBadges,
  '0504-webhooks': createWebhooks,
  '0514-sign-in': createSignIn,
  '0612-protections': createProtections,
  '0641-lfs': createLfs,
  '0701-list-indexes': addListIndexes,
  '0711-renamed-branches': createRenamedBranches,
  '0801-list-indexes': orderListIndexes,
  '0802-repo-order-index': addRepoOrderIndex,
  '0881-labels': createLabels,
  '0882-quota': createQuota,
  '0941-wiki-tips': addWikiTips,
  '0861-mirror-lfs': addMirrorLfs,
  '0862-unfinished-imports': createUnfinishedImports,
  '0863-suspended-units': addSuspendedUnits,
  '0961-audit-log': createAuditLog,
  '0962-used-codes': addCodeChains,
  '0970-milestones': createMilestones,
  '0971-issues': createIssues,
  '0972-former-texts': createFormerTexts,
  '0973-entries-by-actor': indexEntriesByActor,
  '0983-issue-watches': createIssueWatches,
  '0984-notifications': createNotifications,
  '0978-issue-dependencies': createIssueDependencies,
  '0979-pinned-issues': indexPinnedIssues,
  '0975-issue-search': createIssueSearch,
  '0976-label-names': indexLabelNames,
  '0988-references': createReferences,
  '0989-issue-activities': addIssuesOfActivities,
  '0990-events-of-repos': indexEventsOfRepos,
  '0980-reactions': createReactions,
  '0981-tracked-times': createTrackedTimes,
  '0982-issue-redirects': createIssueRedirects,
  '1010-action-runners': createActionRunners,
  '1050-pulls': createPulls,
  '1070-merges': createMerges,
  '1000-actions-secrets': createActionsSecrets,
  '1011-action-runs': createActionRuns,
  '1012-action-artifacts': createActionArtifacts,
  '1001-packages': createPackages,
  '1030-hook-deliveries': createHookDeliveries,
  '1060-reviews': createReviews,
  '1061-review-comments': createReviewComments,
  '1080-merge-queue': createMergeQueue,
  '1095-review-texts': indexReviewTexts,
  '1096-issue-index-merges': mergeIndexOnInsertAlone,
  '1100-schema-release': createSchemaRelease,
  '1110-cluster-locks': createClusterLocks,
  '1111-lease-holders': addLeaseHolders,
  '1112-import-holders': addImportHolders,
  '1130-merge-leftovers': addMergeLeftovers,
  '1101-nodes': createNodes,
  '1125-issue-index-batches': indexTextsInBatches,
  '1160-texts-by-bytes': sortTextsByBytes,
  '1170-reviews-counted': countReviewsWithComments,
  '1180-merge-schedule-head': addScheduledHead,
  '1181-review-former-base': addFormerBase,
  '1190-credential-restrictions': addCredentialRestrictions,
}

/**
 * The oldest release that can run after a migration that deletes or narrows what earlier releases use, by its name. All
 * others only add, so that the release before goes on beside this one (docs/operate/scaling.md#upgrades).
 */
export const contractions: Readonly<Record<string, string>> = {}

export function migrationProvider(dialect: Schema['dialect']): MigrationProvider {
  const migrations = Object.entries(steps).map(([name, step]): [string, Migration] => [
    name,
    { up: (db: Kysely<unknown>) => step({ db, dialect }) },
  ])
  return { getMigrations: async () => Object.fromEntries(migrations) }
}
