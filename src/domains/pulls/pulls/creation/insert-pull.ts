import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx, Db } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type NewIssueChange, type TriageFields, issueChanges } from '../../../issues/index.ts'
import { type Repo, parseRepoSettings } from '../../../repositories/index.ts'
import { blockQueries } from '../../../accounts/index.ts'
import type { PullChange } from '../lifecycle/pull-change.ts'
import { checkColumns } from '../mergeability/merge-ref.ts'
import { isDraftTitle } from '../pull.policy.ts'
import { insertPull, type MergeCheck, findOpenDuplicate, type PullTarget } from '../records/pull.store.ts'
import { errors } from '../../../errors.ts'

/** Throws Conflict when an open pull request has the target, with a message that clients parse. */
export async function requireNoDuplicate(db: Db, target: PullTarget): Promise<void> {
  const found = await findOpenDuplicate(db, target)
  if (found === undefined) return
  const { headRepoId, baseRepoId, headBranch, baseBranch } = target
  const facts = [
    `id: ${found.pull.id}`,
    `issue_id: ${found.number}`,
    `head_repo_id: ${headRepoId}`,
    `base_repo_id: ${baseRepoId}`,
    `head_branch: ${headBranch}`,
    `base_branch: ${baseBranch}`,
  ]
  throw errors.pullExists(facts.join(', '))
}

export interface InsertDeps extends Pick<Core, 'clock' | 'events'> {
  /** Titles that begin with one of these are drafts. */
  readonly draftPrefixes: readonly string[]
}

interface PullRows {
  readonly repo: Repo
  readonly base: string
  readonly head: { readonly repoId: RepoId; readonly branch: string; readonly isAgit: boolean }
  readonly check: MergeCheck & { readonly mergeBase: string }
  /** Normalized. */
  readonly title: string
  readonly body: string
  /** Epoch milliseconds. */
  readonly dueAt?: number | undefined
  /** Undefined for the default of the repository. */
  readonly allowsMaintainerEdit?: boolean | undefined
  /** A number that was allocated before; undefined for the next one. */
  readonly number?: number
  /** The fields for `recordTriage`; undefined for none. */
  readonly plan?: TriageFields
  /** Records what precedes the event of the pull request (behaviour/pull-requests#events). */
  record?(change: PullChange): Promise<void>
}

/**
 * Inserts the rows of the issue and of the pull request, calls `record`, and appends the event. Throws Forbidden for an
 * account that the owner of the repository or an assignee blocks, Conflict when an open pull request has the target.
 */
export async function insertPullRequest(
  tx: Tx,
  { clock, events, draftPrefixes }: InsertDeps,
  actor: SignedIn,
  { repo, base, head, check, ...rows }: PullRows,
): Promise<NewIssueChange & PullChange> {
  const { title, body, dueAt, number, plan } = rows
  const assigneeIds = plan?.assignees.map((user) => user.id) ?? []
  if (!actor.account.isAdmin) await blockQueries.requireUnblocked(tx, actor.account.id, [repo.ownerId, ...assigneeIds])
  const origin = { tx, events, actor, repo, at: clock.now() }
  // NOTE: allocating the number locks the row of the sequence: of two equal requests the second finds the first.
  const text = { title, body, ref: '' }
  const change = await issueChanges.insertNew(origin, { ...text, isPull: true, isClosed: false, dueAt, number, plan })
  const target = {
    isAgit: head.isAgit,
    headRepoId: head.repoId,
    headBranch: head.branch,
    baseRepoId: repo.id,
    baseBranch: base,
  }
  await requireNoDuplicate(tx, target)
  const { allowMaintainerEdit } = parseRepoSettings(repo.settings).pulls
  const pull = await insertPull(tx, {
    issue_id: change.issue.id,
    base_repo_id: target.baseRepoId,
    base_branch: target.baseBranch,
    head_repo_id: target.headRepoId,
    head_branch: target.headBranch,
    is_agit: flag(head.isAgit),
    head_oid: check.headOid,
    merge_base: check.mergeBase,
    is_draft: flag(isDraftTitle(title, draftPrefixes)),
    allows_maintainer_edit: flag(rows.allowsMaintainerEdit ?? allowMaintainerEdit),
    ...checkColumns(check),
  })
  const created = { ...change, pull }
  await rows.record?.(created)
  await issueChanges.appendEvent(created, 'issue.created', { title })
  return created
}
