import type { Services } from '../../../../core/module.ts'
import { AccessMode, unitMode } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { branchRef } from '../../../../core/git/index.ts'
import { forbidden, invalid, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import {
  type AccountChange,
  type Issue,
  type IssueEdit,
  type IssueChange,
  issueChanges,
  issueRules,
  milestoneQueries,
  issueQueries,
  labelQueries,
} from '../../../issues/index.ts'
import { repoQueries, accessQueries } from '../../../repositories/index.ts'
import { requireNoDuplicate } from '../creation/insert-pull.ts'
import { syncMoved, type SyncMovedDeps, refreshPull } from '../lifecycle/sync-branch.ts'
import type { HeadDeps } from '../lifecycle/move-head.ts'
import { type NewBase, prepareBase, setBase } from '../lifecycle/retarget.ts'
import type { PullInView } from '../pull-in-view.ts'
import { lockPull, type Pull, updatePull, findPullByIssue } from '../records/pull.store.ts'

/** Absent members are unchanged. */
export interface PullEdit extends IssueEdit {
  /** The ids of labels that replace all labels; ignored for accounts that are not writers. */
  readonly labelIds?: readonly number[] | undefined
  /** The new base branch. */
  readonly base?: string | undefined
  readonly allowsMaintainerEdit?: boolean | undefined
}

export interface EditPullDeps extends HeadDeps, SyncMovedDeps {
  readonly stateRules: Services['issueStateRules']
}

/**
 * Changes a pull request in one transaction. Checks the mergeability of a new base and of a reopened pull request
 * before it returns. Throws what editing an issue throws, NotFound for an unknown base, Conflict for a base that an
 * equal pull request has, Forbidden for the flag of another account's pull request
 * (behaviour/pull-requests#editing-a-pull-request).
 */
export async function editPull(
  deps: EditPullDeps,
  actor: SignedIn,
  target: PullInView,
  edit: PullEdit,
): Promise<Issue> {
  const { database } = deps
  const { repo } = target
  if (edit.milestoneId && issueRules.canWrite(target.access, target.issue))
    if ((await milestoneQueries.find(database.read, repo.id, edit.milestoneId)) === undefined)
      throw errors.milestoneUnknown(edit.milestoneId)
  const prepared = await issueChanges.prepareEdit(deps, actor, target, edit)
  const base = await findNewBase(deps, target, edit)
  if (edit.allowsMaintainerEdit !== undefined) await requireMaySetFlag(deps, actor, target)
  const issue = await issueChanges.changeLocked(deps, actor, target, async (change) => {
    const pull = await lockPull(change.tx, target.pull.id)
    if (pull === undefined) throw errors.pullDeleted()
    if (edit.state !== undefined && pull.merge !== undefined) throw errors.pullMerged()
    const edited = { ...change, issue: await issueChanges.applyEdit(deps, change, prepared) }
    if (edit.labelIds !== undefined && prepared.isWriter) await setLabels(edited, edit.labelIds)
    if (base !== undefined) await setNewBase(edited, pull, base)
    if (edit.allowsMaintainerEdit !== undefined)
      await updatePull(change.tx, pull.id, { allows_maintainer_edit: flag(edit.allowsMaintainerEdit) })
    return edited.issue
  })
  if (base !== undefined) await syncMoved(deps, actor, [{ repo, name: base.branch, oid: base.check.baseOid }])
  if (target.issue.isClosed && !issue.isClosed) await refreshPull(deps, actor, target.pull.id)
  return issue
}

/** Throws Forbidden for any account but the author, who must be able to write to the head. */
async function requireMaySetFlag(
  { database: { read } }: EditPullDeps,
  actor: SignedIn,
  { issue, pull }: PullInView,
): Promise<void> {
  const head = pull.headRepoId && (await repoQueries.findById(read, pull.headRepoId))
  const writes = head && unitMode(await accessQueries.load(read, actor, head), 'repo.code') >= AccessMode.write
  if (issue.authorId !== actor.account.id || !writes)
    throw forbidden('SetAllowEdits: user not allowed to do this action')
}

/** Undefined when the base is unchanged, and for a merged pull request. */
async function findNewBase(
  { database, git }: EditPullDeps,
  { repo, pull, issue }: PullInView,
  { base, state }: Pick<PullEdit, 'base' | 'state'>,
): Promise<NewBase | undefined> {
  if (!base || base === pull.baseBranch || pull.merge !== undefined) return undefined
  const opened = git.open(repo)
  const ref = (await opened.refs.snapshot()).get(branchRef(base))
  if (ref === undefined) throw notFound(`new base '${base.slice(0, 100)}' not exist`)
  if (state === undefined ? issue.isClosed : state === 'closed')
    throw invalid(`Pull Request [id: ${pull.id}, repo_id: ${repo.id}, index: ${issue.number}] is already closed`)
  await requireNoEqual(database.read, pull, base)
  const prepared = await prepareBase(opened, pull, { branch: base, oid: ref.oid })
  if (prepared.check.state === 'ancestor') throw invalid('The new base contains the head: there is nothing to merge')
  return prepared
}

async function requireNoEqual(db: Db, pull: Pull, baseBranch: string): Promise<void> {
  const { isAgit, headRepoId, headBranch, baseRepoId } = pull
  if (headRepoId !== undefined) await requireNoDuplicate(db, { isAgit, headRepoId, headBranch, baseRepoId, baseBranch })
}

/** Throws Conflict when the head moved since the comparison with the base. */
async function setNewBase(change: AccountChange, pull: Pull, base: NewBase): Promise<void> {
  if (base.check.headOid !== pull.headOid) throw errors.headMoved()
  if (change.issue.isClosed || pull.baseBranch === base.branch) return
  // NOTE: of two pull requests that become equal at once, the second finds the first; one that is created finds either.
  await issueQueries.lockNumbers(change.tx, pull.baseRepoId)
  await requireNoEqual(change.tx, pull, base.branch)
  await setBase({ ...change, pull }, base)
}

async function setLabels(change: AccountChange, labelIds: readonly number[]): Promise<void> {
  const { tx, issue, repo } = change
  const attached = (await issueQueries.listLabels(tx, [issue.id])).get(issue.id) ?? []
  const labels = await labelQueries.listUsable(tx, { repoId: repo.id, ownerId: repo.ownerId }, { ids: labelIds })
  await issueChanges.replaceLabels(change, attached, labels)
}

/** A merged pull request stays closed. Throws Precondition. */
export async function mergedPullRule({ tx, issue }: IssueChange): Promise<void> {
  const pull = issue.isPull ? await findPullByIssue(tx, issue.id) : undefined
  if (pull?.merge !== undefined) throw errors.pullMerged()
}
