import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { IssueId } from '../../../core/platform/crypto/ids.ts'
import { canEditIssue } from '../issues/issue.policy.ts'
import { listIssuesByIds, lockIssue } from '../issues/records/issue.store.ts'
import { type Repo, findRepoById } from '../../repositories/index.ts'
import { loadActingUser } from '../../accounts/index.ts'
import { applyKeyword, type KeywordDeps } from './apply-keyword.ts'
import { loadTargets, mayActOn } from './find-targets.ts'
import { type KeywordReference, listKeywordReferences } from './records/cross-reference.store.ts'
import { needsRight } from './reference.policy.ts'

/** The numbers of the issues of the same repository that merging the pull request closes, in order. */
export async function listClosedByMerge(
  db: Db,
  pull: { readonly id: IssueId; readonly repoId: number },
): Promise<number[]> {
  const closes = lastOfEach(await listKeywordReferences(db, pull.id)).filter(({ action }) => action === 'closes')
  const issues = await listIssuesByIds(
    db,
    closes.map(({ issueId }) => issueId),
  )
  return issues
    .filter(({ repoId }) => repoId === pull.repoId)
    .map(({ number }) => number)
    .toSorted((a, b) => a - b)
}

/** The last keyword for an issue counts. */
const lastOfEach = (references: readonly KeywordReference[]): readonly KeywordReference[] => [
  ...new Map(references.map((reference) => [reference.issueId, reference])).values(),
]

interface PullMerge {
  readonly events: Events
  /** Who merged, with the rights of the credentials that asked for the merge. */
  readonly actor: SignedIn
  readonly at: number
  /** The issue of the merged pull request. */
  readonly issueId: IssueId
  /** Of the pull request. */
  readonly repo: Repo
  /** The commit that merged it. */
  readonly oid: string
}

/**
 * Closes and reopens the issues that a merged pull request and its comments name with keywords
 * (behaviour/issues#references-keywords-mentions). The author of a keyword must have the right that it needs now, and
 * the credentials that merged must reach the issue.
 */
export async function applyMergeKeywords(deps: KeywordDeps, tx: Tx, merge: PullMerge): Promise<void> {
  const { events, actor, at, issueId, oid } = merge
  const allowed: KeywordReference[] = []
  for (const reference of await listKeywordReferences(tx, issueId))
    if (await isAllowed(tx, merge, reference)) allowed.push(reference)
  for (const { issueId: target, action } of lastOfEach(allowed)) {
    const issue = await lockIssue(tx, target)
    const repo = issue && (await findRepoById(tx, issue.repoId))
    if (issue === undefined || repo === undefined || !mayActOn(actor, issue, { repo, from: merge.repo })) continue
    await applyKeyword(deps, { tx, events, actor, repo, issue, at }, { action, oid, seconds: 0 })
  }
}

/** Whether the author of a keyword, with the credentials of that time, still has the right that it needs. */
async function isAllowed(
  tx: Tx,
  { repo: from }: PullMerge,
  { issueId, commentId, authorId, restriction }: KeywordReference,
): Promise<boolean> {
  const [issue] = await listIssuesByIds(tx, [issueId])
  if (issue === undefined) return false
  if (!needsRight({ source: { repoId: from.id, isComment: commentId !== 0 }, target: issue })) return true
  const author = await loadActingUser(tx, authorId, restriction)
  const target = author && (await loadTargets(tx, { author, from }, [issueId])).get(issueId)
  if (author === undefined || target?.mayRefer !== true) return false
  return canEditIssue(author, target.access, issue) && mayActOn(author, issue, { repo: target.repo, from })
}
