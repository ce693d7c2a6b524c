import { findForkOf } from './history/fork-network.store.ts'
import { findHeadRepo, requireHeadRepo } from './history/head-repo.ts'
import { copyRepoLanguages } from './languages/language.store.ts'
import { copyLfsLinks, lfsCountersOfRepos } from './lfs/lfs.store.ts'
import { loadBranchRules } from './protections/facts.ts'
import { insertImportedBranchRule, insertImportedTagRule } from './protections/imports/insert-imports.ts'
import { readImportedBranchRule, readImportedTagRule } from './protections/imports/read-imports.ts'
import { isOfficialReviewer, isOfficialTeam } from './protections/official.ts'
import { mapRenamedBranches } from './pushes/renamed-branch.store.ts'
import { claimReleases } from './releases/claim-releases.store.ts'
import { findReleaseByTag, insertRelease, releaseCountersOfRepos } from './releases/release.store.ts'
import { loadReleaseViews } from './releases/views.ts'
import { findCommitStatus, listLatestStatuses } from './statuses/commit-status.store.ts'
import { reportChangedStatuses } from './statuses/report-statuses.ts'

/**
 * Reads and commands on the repositories of a fork network that run in the transaction of a caller in a later domain.
 */
export const forkQueries = {
  findOf: findForkOf,
  findHead: findHeadRepo,
  requireHead: requireHeadRepo,
} as const

/** Reads and commands on languages that run in the transaction of a caller in a later domain. */
export const languageQueries = {
  copy: copyRepoLanguages,
} as const

/** Reads and commands on objects of LFS that run in the transaction of a caller in a later domain. */
export const lfsQueries = {
  copyLinks: copyLfsLinks,
  repoCounters: lfsCountersOfRepos,
} as const

/** Reads and commands on pushes that run in the transaction of a caller in a later domain. */
export const pushQueries = {
  mapRenamedBranches,
} as const

/** Reads and commands on releases that run in the transaction of a caller in a later domain. */
export const releaseQueries = {
  loadViews: loadReleaseViews,
  findByTag: findReleaseByTag,
  insert: insertRelease,
  repoCounters: releaseCountersOfRepos,
  claim: claimReleases,
} as const

/** Reads and commands on commit statuses that run in the transaction of a caller in a later domain. */
export const statusQueries = {
  find: findCommitStatus,
  listLatest: listLatestStatuses,
  reportChanges: reportChangedStatuses,
} as const

/** Loads the facts that the rules of protected branches need. */
export const protectionQueries = {
  loadBranchRules,
  isOfficialReviewer,
  isOfficialTeam,
} as const

/** Protections of other services, in the shapes of the contract; inserting them causes no events. */
export const protectionImports = {
  readBranchRule: readImportedBranchRule,
  readTagRule: readImportedTagRule,
  insertBranchRule: insertImportedBranchRule,
  insertTagRule: insertImportedTagRule,
} as const
