import { type CredentialRestriction, reachesRepo } from '../../../../core/access/credential-restriction.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { branchRef, RefConflictError } from '../../../../core/git/index.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import {
  type Issue,
  type StateRules,
  type TimeBookings,
  applyMergeKeywords,
  findIssueById,
  recordEntries,
} from '../../../issues/index.ts'
import { type Pull, findPullByIssue, listOpenPullsFrom } from '../../pulls/records/pull.store.ts'
import { PushRefusedError } from '../../../code/index.ts'
import { findRepoById, loadRepoAccess } from '../../../repositories/index.ts'
import { loadActingUser } from '../../../accounts/index.ts'
import type { MergeDeps } from './merge-pull.ts'

export interface FollowMergeDeps extends Pick<MergeDeps, 'clock' | 'database' | 'events' | 'git' | 'pushes'> {
  readonly stateRules: StateRules
  readonly timeBookings: TimeBookings
}

interface Follow {
  readonly issueId: IssueId
  readonly deletesBranch: boolean
  /** Of the credentials that asked for the merge. */
  readonly restriction: CredentialRestriction | undefined
}

/** What a merge leads to: issues that its keywords close, and the deletion of the head branch. Safe to run again. */
export async function followMerge(
  deps: FollowMergeDeps,
  { issueId, deletesBranch, restriction }: Follow,
): Promise<void> {
  const { database, clock, events } = deps
  const issue = await findIssueById(database.read, issueId)
  const pull = issue && (await findPullByIssue(database.read, issueId))
  const actor = pull?.merge && (await loadActingUser(database.read, pull.merge.byId, restriction))
  const repo = issue && (await findRepoById(database.read, issue.repoId))
  if (issue === undefined || repo === undefined || pull?.merge === undefined || actor === undefined) return
  const applied = { events, actor, at: clock.now(), issueId, repo, oid: pull.merge.oid }
  await database.transaction((tx) => applyMergeKeywords(deps, tx, applied))
  if (deletesBranch) await deleteHead(deps, actor, issue, pull)
}

/**
 * Deletes the head branch of a merged pull request. Nothing happens when it has other commits now, is protected, the
 * default branch or the head of another open pull request, and when the actor may not write to it
 * (behaviour/pull-requests#merging).
 */
async function deleteHead(deps: FollowMergeDeps, actor: SignedIn, issue: Issue, pull: Pull): Promise<void> {
  const { database, git, clock } = deps
  const repo = pull.headRepoId && (await findRepoById(database.read, pull.headRepoId))
  if (repo === undefined || !reachesRepo(actor, repo) || pull.isAgit || pull.headBranch === repo.defaultBranch) return
  if ((await listOpenPullsFrom(database.read, { repoId: repo.id, branch: pull.headBranch })).length > 0) return
  const opened = git.open(repo)
  const ref = branchRef(pull.headBranch)
  if ((await opened.refs.snapshot()).get(ref)?.oid !== pull.headOid) return
  const access = await loadRepoAccess(database.read, actor, repo)
  const entry = { kind: 'delete_branch', payload: { oldRef: pull.headBranch } } as const
  const change = { ref, oldOid: pull.headOid, newOid: opened.zeroOid }
  try {
    await opened.writing(() =>
      deps.pushes.push(actor, { repo, access }, [change], {
        inTransaction: (tx) => recordEntries(tx, { issue, actorId: actor.account.id, at: clock.now() }, entry),
      }),
    )
  } catch (error) {
    if (!(error instanceof RefConflictError) && !(error instanceof PushRefusedError)) throw error
  }
}
