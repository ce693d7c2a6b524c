import type { Core } from '../../../../core/module.ts'
import type { CredentialRestriction } from '../../../../core/access/authorize.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { canEditIssue } from '../../issues/issue.policy.ts'
import { insertEntries } from '../../issues/timeline/timeline-entry.store.ts'
import type { AccountChange, StateRules, TimeBookings } from '../../issues/changes/issue-change.ts'
import { lockIssue, touchIssues } from '../../issues/records/issue.store.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { userQueries } from '../../../accounts/index.ts'
import { applyKeyword, findReferred, loadTargets, mayActOn, type Target } from '../closing-references.ts'
import { type IssueReference, parseReferences, type ReferenceGrammar } from '../parsing/parse-references.ts'
import { findCommitReference, insertCommitReference, settleCommitReference } from '../records/records.store.ts'
import { actsOnBranch } from '../reference.policy.ts'
import { commitLink } from './commit-link.ts'
import { type Commit, type GitRepo, isGitError, isZeroOid } from '../../../../core/git/index.ts'

interface BranchUpdate {
  /** Full name of the branch. */
  readonly ref: string
  readonly old_oid: string
  readonly new_oid: string
}

interface PushedCommit {
  readonly commit: Commit
  /** Full name of the pushed branch. */
  readonly ref: string
}

/** The maximum number of commits of a push that are read, newest first. */
const MAX_COMMITS = 1000
/** The maximum number of branches; each starts a process. */
const MAX_BRANCHES = 100

/**
 * The commits that a push adds to branches, oldest of each branch first. The default branch comes first, so that the
 * limits drop its commits last. `base` is the default branch, whose commits are not new in a new branch.
 */
async function listPushedCommits(
  git: GitRepo,
  updates: readonly BranchUpdate[],
  base: string,
): Promise<PushedCommit[]> {
  const ordered = updates.toSorted((a, b) => Number(b.ref === base) - Number(a.ref === base)).slice(0, MAX_BRANCHES)
  const tip = (await git.refs.snapshot()).get(base)?.oid
  const listed: PushedCommit[] = []
  for (const { ref, old_oid, new_oid } of ordered) {
    const limit = MAX_COMMITS - listed.length
    if (limit === 0) break
    const known = isZeroOid(old_oid) ? (ref === base ? undefined : tip) : old_oid
    const query = { tip: new_oid, ...(known !== undefined && { not: [known] }) }
    const commits = await git.history.list(query, { skip: 0, limit }).catch(noneIfDeleted)
    listed.push(...commits.toReversed().map((commit) => ({ commit, ref })))
  }
  return listed
}

/** A later push may have deleted the commits. */
function noneIfDeleted(error: unknown): readonly Commit[] {
  if (isGitError(error)) return []
  throw error
}

export interface CommitReferenceDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly stateRules: StateRules
  readonly timeBookings: TimeBookings
  /** Keywords act on every branch. */
  readonly anyBranch: boolean
  grammar(): ReferenceGrammar
}

interface Push {
  readonly repoId: RepoId
  readonly pusherId: UserId
  /** The restriction of the credentials that pushed. */
  readonly restriction: CredentialRestriction | undefined
  readonly updates: readonly BranchUpdate[]
}

/** The maximum number of characters of a message that are read. */
const MAX_MESSAGE = 64 * 1024

/**
 * Writes the references in the commits of a push into the timelines of issues, and closes and reopens issues by their
 * keywords (behaviour/issues#references-keywords-mentions). Runs one transaction for each commit. Idempotent: each
 * commit is written once for an issue, and its keyword acts once.
 */
export async function referFromPush(
  deps: CommitReferenceDeps,
  { repoId, pusherId, restriction, updates }: Push,
  signal: AbortSignal,
): Promise<void> {
  const { read } = deps.database
  const repo = await repoQueries.findById(read, repoId)
  if (repo === undefined) return
  const base = `refs/heads/${repo.defaultBranch}`
  for (const pushed of await listPushedCommits(deps.git.open(repo), updates, base)) {
    signal.throwIfAborted()
    const references = parseReferences(pushed.commit.message.slice(0, MAX_MESSAGE), deps.grammar())
    if (references.length === 0) continue
    await deps.database.transaction(async (tx) => {
      const pusher = await userQueries.loadActing(tx, pusherId, restriction)
      if (pusher === undefined) return
      await writeCommit(deps, { tx, pusher, repo, pushed, isDefaultBranch: pushed.ref === base }, references)
    })
  }
}

interface CommitWriting {
  readonly tx: Tx
  readonly pusher: SignedIn
  /** The repository of the commit. */
  readonly repo: Repo
  readonly pushed: PushedCommit
  readonly isDefaultBranch: boolean
}

async function writeCommit(
  deps: CommitReferenceDeps,
  writing: CommitWriting,
  references: readonly IssueReference[],
): Promise<void> {
  const { tx, pusher, repo } = writing
  const referred = await findReferred(tx, repo, references)
  const issues = [...referred.values()].map(({ issue }) => issue)
  for (const [id, target] of await loadTargets(tx, { author: pusher, from: repo }, issues))
    if (target.mayRefer) await writeCommitReference(deps, writing, target, referred.get(id)!.reference)
}

async function writeCommitReference(
  deps: CommitReferenceDeps,
  writing: CommitWriting,
  target: Target,
  reference: IssueReference,
): Promise<void> {
  const { tx, pusher, pushed } = writing
  const { oid } = pushed.commit
  // NOTE: locks the row before reading the written references, so that two runs do not write the same one.
  const issue = await lockIssue(tx, target.issue.id)
  if (issue === undefined) return
  const at = deps.clock.now()
  const before = await findCommitReference(tx, issue.id, oid)
  if (before === undefined) await insertReference(writing, { issue, at })
  if (before?.isSettled === true || !mayAct(deps, writing, target, reference)) return
  await settleCommitReference(tx, issue.id, oid)
  const change: AccountChange = { tx, events: deps.events, actor: pusher, repo: target.repo, issue, at }
  await applyKeyword(deps, change, { ...reference, oid: pushed.commit.oid })
}

async function insertReference(
  { tx, pusher, repo, pushed: { commit } }: CommitWriting,
  { issue, at }: Pick<AccountChange, 'issue' | 'at'>,
): Promise<void> {
  const entry = {
    kind: 'commit_ref',
    targetId: repo.id,
    payload: { action: 'none', oid: commit.oid },
    body: commitLink(repo, commit),
  } as const
  const [inserted] = await insertEntries(tx, { issue, actorId: pusher.account.id, at }, [entry])
  await insertCommitReference(tx, { issueId: issue.id, oid: commit.oid, entryId: inserted!.id })
  await touchIssues(tx, [issue.id], at)
}

function mayAct(
  { anyBranch }: CommitReferenceDeps,
  { pusher, repo, pushed, isDefaultBranch }: CommitWriting,
  { issue, access, repo: target }: Target,
  { action }: IssueReference,
): boolean {
  if (action === 'none' || issue.isPull || !canEditIssue(pusher, access, issue)) return false
  if (!mayActOn(pusher, issue, { repo: target, from: repo })) return false
  const isSameRepo = issue.repoId === repo.id
  return actsOnBranch({ ref: pushed.ref, isDefaultBranch, anyBranch, isSameRepo, issueRef: issue.ref })
}
