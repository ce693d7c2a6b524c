import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { type IssueChange, issueQueries, issueChanges, timelineQueries } from '../../../issues/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { lockPull, type Pull } from '../records/pull.store.ts'

export type LifecycleDeps = Pick<Core, 'database' | 'clock' | 'events' | 'git' | 'log'>

/** A change of a pull request in one transaction, with the rows of both tables locked. */
export interface PullChange extends IssueChange {
  /** The row before the change. */
  readonly pull: Pull
}

/**
 * Runs a change of a pull request in one transaction. Returns undefined, without running `work`, when the pull request
 * was deleted.
 */
export const changePull = <T>(
  { database, clock, events }: Pick<LifecycleDeps, 'clock' | 'database' | 'events'>,
  actor: Actor,
  { repo, pull: seen }: { readonly repo: Repo; readonly pull: Pull },
  work: (change: PullChange) => Promise<T>,
): Promise<T | undefined> =>
  database.transaction(async (tx: Tx) => {
    const issue = await issueQueries.lock(tx, seen.issueId)
    const pull = issue && (await lockPull(tx, seen.id))
    if (issue === undefined || pull === undefined) return undefined
    return work({ tx, events, actor, repo, issue, pull, at: clock.now() })
  })

/** A pull request and the location of its refs, which never changes. */
export interface PullLocation {
  readonly id: PullId
  /** The base repository. */
  readonly repo: Repo
  readonly number: number
}

/** Undefined when the pull request was deleted. */
export async function findLocation(
  { database: { read } }: Pick<LifecycleDeps, 'database'>,
  { id, baseRepoId, issueId }: Pull,
): Promise<PullLocation | undefined> {
  const [repo, issue] = await Promise.all([
    repoQueries.findById(read, baseRepoId),
    issueQueries.findById(read, issueId),
  ])
  return repo && issue && { id, repo, number: issue.number }
}

/** The members of every event of a pull request. */
export const pullPayload = ({ issue, pull }: PullChange) => ({
  repo_id: issue.repoId,
  issue_id: issue.id,
  number: issue.number,
  pull_id: pull.id,
})

/**
 * Closes a pull request whose head or base was deleted; the timeline names the branch. Does nothing when it is closed
 * (behaviour/pull-requests#branch-lifecycle).
 */
export async function closePull(
  deps: LifecycleDeps,
  actor: Actor,
  pull: Pull,
  deletedBranch: string | undefined,
): Promise<void> {
  const location = await findLocation(deps, pull)
  if (location !== undefined)
    await changePull(deps, actor, { repo: location.repo, pull }, (change) => closeInChange(change, deletedBranch))
}

export async function closeInChange(change: PullChange, deletedBranch?: string): Promise<void> {
  if (change.issue.isClosed) return
  const issue = await issueChanges.changeState(change, { isClosed: true })
  if (deletedBranch === undefined) return
  const { tx, actor, at } = change
  const entry = { kind: 'delete_branch', payload: { oldRef: deletedBranch } } as const
  await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, entry)
}
