import type { Database } from '../../../db/database.ts'
import { branchRef, type Git } from '../../../git/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { RepoId } from '../../../platform/crypto/ids.ts'
import type { Logger } from '../../../platform/logger.ts'
import { findIssueOfPull } from '../find-pull.store.ts'
import { findRepoById, type Repo } from '../../repos/index.ts'
import { deleteIntent, listIntents, type MergeIntent } from './merge-intent.store.ts'
import { recordMerge, type RecordMergeDeps } from './record-merge.ts'

export interface SettleDeps extends RecordMergeDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
  /** Epoch milliseconds: an intent that is older was left by a process that ended. */
  readonly startedAt: number
}

/** A process that is at work has moved the ref, or given up, long before. */
const MAX_AGE_MS = 60_000

/** Whether the process that wrote the intent may still be at work. */
export const isUnderWay = (
  { clock, startedAt }: Pick<SettleDeps, 'clock' | 'startedAt'>,
  { at }: MergeIntent,
): boolean => at >= startedAt && at > clock.now() - MAX_AGE_MS

/** After a crash: finishes or drops the merges of a base repository that were left half done. */
export async function settleIntents(deps: SettleDeps, repoId: RepoId): Promise<void> {
  const intents = (await listIntents(deps.database.read, repoId)).filter((intent) => !isUnderWay(deps, intent))
  const repo = intents.length > 0 ? await findRepoById(deps.database.read, repoId) : undefined
  if (repo === undefined) return
  for (const intent of intents) await settleIntent(deps, repo, intent)
}

/** Records the merge when the base branch contains its commit, and forgets it otherwise. */
export async function settleIntent(deps: SettleDeps, repo: Repo, intent: MergeIntent): Promise<void> {
  const { database, git, log } = deps
  const opened = git.open(repo)
  const tip = (await opened.refs.snapshot()).get(branchRef(intent.baseBranch))?.oid
  const isThere = tip !== undefined && (await opened.objects.findInfo(intent.oid)) !== undefined
  const isMerged = isThere && (await opened.history.isAncestor(intent.oid, tip))
  const issueId = await findIssueOfPull(database.read, intent.pullId)
  log.warn({ pull: intent.pullId, isMerged }, 'a merge was left half done; settling it')
  await database.transaction(async (tx) => {
    if (isMerged && issueId !== undefined)
      await recordMerge(deps, tx, { repo, issueId, intent, mergedAt: intent.at, mergeBase: undefined })
    else await deleteIntent(tx, intent)
  })
}
