import type { Db, Tx } from '../../db/database.ts'
import type { IssueId } from '../../platform/crypto/ids.ts'
import type { SignedIn } from '../../access/viewer.ts'
import type { Events } from '../../events/index.ts'
import { listIssuesByIds, lockIssue } from '../issues/index.ts'
import { findRepoById } from '../repos/index.ts'
import { applyKeyword, type KeywordDeps } from './apply-keyword.ts'
import { listKeywordReferences } from './records/cross-reference.store.ts'

/** The numbers of the issues of the same repository that merging the pull request closes, in order. */
export async function listClosedByMerge(
  db: Db,
  pull: { readonly id: IssueId; readonly repoId: number },
): Promise<number[]> {
  const references = await listKeywordReferences(db, pull.id)
  const closes = references.filter(({ action }) => action === 'closes').map(({ issueId }) => issueId)
  const issues = await listIssuesByIds(db, closes)
  return issues
    .filter(({ repoId }) => repoId === pull.repoId)
    .map(({ number }) => number)
    .toSorted((a, b) => a - b)
}

interface PullMerge {
  readonly events: Events
  readonly actor: SignedIn
  readonly at: number
  /** The issue of the merged pull request. */
  readonly issueId: IssueId
  /** The commit that merged it. */
  readonly oid: string
}

/**
 * Closes and reopens the issues that a merged pull request and its comments name with keywords
 * (behaviour/issues#references-keywords-mentions). What they may do was decided when they were written.
 */
export async function applyMergeKeywords(
  deps: KeywordDeps,
  tx: Tx,
  { events, actor, at, issueId, oid }: PullMerge,
): Promise<void> {
  const references = await listKeywordReferences(tx, issueId)
  for (const { issueId: target, action } of references) {
    const issue = await lockIssue(tx, target)
    const repo = issue && (await findRepoById(tx, issue.repoId))
    if (issue === undefined || repo === undefined) continue
    await applyKeyword(deps, { tx, events, actor, repo, issue, at }, { action, oid, seconds: 0 })
  }
}
