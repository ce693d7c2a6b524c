import type { Core } from '../../../../core/module.ts'
import { branchRef } from '../../../../core/git/index.ts'
import type { KeyedMutex } from '../../../../core/platform/concurrency/keyed-mutex.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { findIssueOfPull } from '../find-pull.store.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import { enqueueSettling, forgetIntent } from './forget-intent.ts'
import { findIntent, listIntents, type MergeIntent } from './merge-intent.store.ts'
import { recordMerge, type RecordMergeDeps } from './record-merge.ts'

export interface SettleDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'log'>, RecordMergeDeps {
  /** Of base branches: who merges into one holds its lock, in all processes of this server. */
  readonly locks: KeyedMutex
  /**
   * Epoch milliseconds: an intent that is older was left by a server that ended. The processes of a server share it.
   */
  readonly startedAt: number
}

/** Another server that is at work has moved the ref, or given up, long before. */
const MAX_AGE_MS = 60_000
export const serverOf = ({ startedAt }: Pick<SettleDeps, 'startedAt'>): string => String(startedAt)

export const branchKey = ({ repoId, baseBranch }: Pick<MergeIntent, 'repoId' | 'baseBranch'>): string =>
  `${repoId} ${baseBranch}`

/**
 * Whether the process that wrote the intent may still be at work. The caller holds the lock of the base branch: a
 * process of this server that wrote it has ended.
 */
export const isUnderWay = (
  { clock, startedAt }: Pick<SettleDeps, 'clock' | 'startedAt'>,
  { at, server }: MergeIntent,
): boolean => server !== serverOf({ startedAt }) && at >= startedAt && at > clock.now() - MAX_AGE_MS

/** After a crash: finishes or drops the merges of a base repository that were left half done. */
export async function settleIntents(deps: SettleDeps, repoId: RepoId): Promise<void> {
  for (const intent of await listIntents(deps.database.read, repoId)) await settleLeft(deps, intent)
}

/** Settles the intent if it still exists and no process works on it; looks again later at one of another server. */
export async function settleLeft(
  deps: SettleDeps,
  { pullId, repoId, oid }: Pick<MergeIntent, 'pullId' | 'repoId' | 'oid'>,
): Promise<void> {
  const { database, jobs, locks } = deps
  const find = async (): Promise<MergeIntent | undefined> => {
    const intent = await findIntent(database.read, pullId)
    return intent?.oid === oid ? intent : undefined
  }
  const seen = await find()
  if (seen === undefined) return
  await locks.run(branchKey(seen), async () => {
    const intent = await find()
    const repo = intent && (await findRepoById(database.read, repoId))
    if (intent === undefined || repo === undefined) return
    if (!isUnderWay(deps, intent)) return settleIntent(deps, repo, intent)
    await database.transaction((tx) => enqueueSettling(jobs, tx, intent, MAX_AGE_MS))
  })
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
    else await forgetIntent(deps.jobs, tx, intent)
  })
}
