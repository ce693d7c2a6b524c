import type { SignedIn, ScopeLevel } from '../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { IssueId } from '../../../core/platform/crypto/ids.ts'
import { canEditIssue, canReadIssue } from '../issues/issue.policy.ts'
import { listIssuesByIds, lockIssue, type Issue, listIssuesByNumbers } from '../issues/records/issue.store.ts'
import { type Repo, repoQueries, accessQueries } from '../../repositories/index.ts'
import { userQueries, blockQueries } from '../../accounts/index.ts'
import { type KeywordReference, listKeywordReferences } from './records/records.store.ts'
import { needsRight } from './reference.policy.ts'
import { DomainError } from '../../../core/platform/errors.ts'
import { type AccountChange, changeState, type StateRules, type TimeBookings } from '../issues/changes/issue-change.ts'
import type { KeywordAction, IssueReference } from './parsing/parse-references.ts'
import { authorizeRequester, reachesRepo } from '../../../core/access/authorize.ts'
import type { RepoAccess } from '../../../core/access/repo-access.ts'

/** An issue or pull request with the permissions of a text's author. */
export interface Target {
  readonly issue: Issue
  readonly repo: Repo
  readonly access: RepoAccess
  /** The author may read it, and neither the owner of its repository nor its author blocks them. */
  readonly mayRefer: boolean
}

/** The issues in the references, with the first keyword for each; `repo` is the repository of the text. */
export async function findReferred(
  db: Db,
  repo: Repo,
  references: readonly IssueReference[],
): Promise<Map<IssueId, { readonly issue: Issue; readonly reference: IssueReference }>> {
  const names = new Set(references.flatMap((reference) => reference.repo?.toLowerCase() ?? []))
  const repos = new Map(
    (await repoQueries.listByNames(db, [...names])).map((found) => [found.fullName.toLowerCase(), found]),
  )
  const idOf = ({ repo: name }: IssueReference) => (name === undefined ? repo : repos.get(name.toLowerCase()))?.id
  const byRepo = Map.groupBy(references, idOf)
  const numbers = new Map(
    [...byRepo].flatMap(([id, own]) => (id === undefined ? [] : [[id, own.map(({ number }) => number)] as const])),
  )
  const issues = await listIssuesByNumbers(db, numbers)
  return new Map(
    issues.map((issue) => {
      const own = byRepo.get(issue.repoId)!.filter(({ number }) => number === issue.number)
      return [issue.id, { issue, reference: own.find(({ action }) => action !== 'none') ?? own[0]! }]
    }),
  )
}

/** The permissions of the author of a text in `from` on these issues, by a fixed number of queries. */
export async function loadTargets(
  db: Db,
  { author, from }: { readonly author: SignedIn; readonly from: Repo },
  issues: readonly Issue[],
): Promise<Map<IssueId, Target>> {
  const repoIds = new Set(issues.map((issue) => issue.repoId))
  const others = await repoQueries.listByIds(db, [...repoIds.difference(new Set([from.id]))])
  const repos = repoIds.has(from.id) ? [from, ...others] : others
  const byId = new Map(repos.map((repo) => [repo.id, repo]))
  const accesses = await accessQueries.loadAll(db, author, repos)
  const owners = repos.map((repo) => repo.ownerId)
  const authors = issues.map((issue) => issue.authorId)
  const blockers = new Set(await blockQueries.listBlockers(db, author.account.id, [...owners, ...authors]))
  return new Map(
    issues.flatMap((issue) => {
      const [repo, access] = [byId.get(issue.repoId), accesses.get(issue.repoId)]
      if (repo === undefined || access === undefined) return []
      const isBlocked = blockers.has(repo.ownerId) || blockers.has(issue.authorId)
      const mayRefer = !isBlocked && isReached(author, issue, { repo, from }) && canReadIssue(access, issue)
      return [[issue.id, { issue, repo, access, mayRefer }]]
    }),
  )
}

interface Reach {
  /** The repository of the issue. */
  readonly repo: Repo
  /** The repository of the text or commit that refers to it. */
  readonly from: Pick<Repo, 'id'>
}

/** Whether the credentials allow access to an issue; for another repository they need the scope to read it. */
const isReached = (actor: SignedIn, issue: Issue, { repo, from }: Reach): boolean =>
  reachesRepo(actor, repo) && hasScope(actor, issue, { from, level: 'read' })

/** Whether the credentials allow closing and reopening an issue; does not check the account's permissions. */
export const mayActOn = (actor: SignedIn, issue: Issue, { repo, from }: Reach): boolean =>
  reachesRepo(actor, repo) && hasScope(actor, issue, { from, level: 'write' })

/**
 * NOTE: a push or a merge changes issues of its own repository like its commits, so the scope of repositories is
 * enough.
 */
const hasScope = (
  actor: SignedIn,
  { repoId, isPull }: Issue,
  { from, level }: Pick<Reach, 'from'> & { readonly level: ScopeLevel },
): boolean =>
  repoId === from.id ||
  authorizeRequester(actor, { scopes: [isPull ? 'repository' : 'issue'], level }).kind === 'allowed'

export interface KeywordDeps {
  readonly stateRules: StateRules
  readonly timeBookings: TimeBookings
}

interface AppliedKeyword {
  readonly action: KeywordAction
  /** The commit that closes or reopens the issue. */
  readonly oid: string
  /** Worked time to book when the issue is closed. */
  readonly seconds: number
}

/** Closes or reopens an issue. An issue that may not be closed, because it depends on open ones, stays open. */
export async function applyKeyword(
  { stateRules, timeBookings }: KeywordDeps,
  change: AccountChange,
  { action, oid, seconds }: AppliedKeyword,
): Promise<void> {
  const isClosed = action === 'closes'
  if (action === 'none' || change.issue.isClosed === isClosed) return
  try {
    await stateRules.run(change, isClosed ? 'closed' : 'open')
  } catch (error) {
    if (error instanceof DomainError) return
    throw error
  }
  const issue = await changeState(change, { isClosed, commitOid: oid })
  if (isClosed && seconds > 0) await timeBookings.run({ ...change, issue }, seconds)
}

/** The numbers of the issues in the same repository that merging the pull request closes, in order. */
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

/** The last keyword for an issue wins. */
const lastOfEach = (references: readonly KeywordReference[]): readonly KeywordReference[] => [
  ...new Map(references.map((reference) => [reference.issueId, reference])).values(),
]

interface PullMerge {
  readonly events: Events
  /** The account that merged, with the rights of the credentials that requested the merge. */
  readonly actor: SignedIn
  readonly at: number
  /** The issue of the merged pull request. */
  readonly issueId: IssueId
  /** The repository of the pull request. */
  readonly repo: Repo
  /** The commit that merged it. */
  readonly oid: string
}

/**
 * Closes and reopens the issues that a merged pull request and its comments name with keywords
 * (behaviour/issues#references-keywords-mentions). The author of a keyword must still have the required permission, and
 * the credentials that merged must allow access to the issue.
 */
export async function applyMergeKeywords(deps: KeywordDeps, tx: Tx, merge: PullMerge): Promise<void> {
  const { events, actor, at, issueId, oid } = merge
  const allowed: KeywordReference[] = []
  for (const reference of await listKeywordReferences(tx, issueId))
    if (await isAllowed(tx, merge, reference)) allowed.push(reference)
  for (const { issueId: target, action } of lastOfEach(allowed)) {
    const issue = await lockIssue(tx, target)
    const repo = issue && (await repoQueries.findById(tx, issue.repoId))
    if (issue === undefined || repo === undefined || !mayActOn(actor, issue, { repo, from: merge.repo })) continue
    await applyKeyword(deps, { tx, events, actor, repo, issue, at }, { action, oid, seconds: 0 })
  }
}

/** Whether the author of a keyword, with the credentials of that time, still has the required permission. */
async function isAllowed(
  tx: Tx,
  { repo: from }: PullMerge,
  { issueId, commentId, authorId, restriction }: KeywordReference,
): Promise<boolean> {
  const [issue] = await listIssuesByIds(tx, [issueId])
  if (issue === undefined) return false
  if (!needsRight({ source: { repoId: from.id, isComment: commentId !== 0 }, target: issue })) return true
  const author = await userQueries.loadActing(tx, authorId, restriction)
  const target = author && (await loadTargets(tx, { author, from }, [issue])).get(issueId)
  if (author === undefined || target?.mayRefer !== true) return false
  return canEditIssue(author, target.access, issue) && mayActOn(author, issue, { repo: target.repo, from })
}
