import type { SignedIn } from '../../../../core/access/viewer.ts'
import { isRepoAdmin } from '../../../../core/access/repo-access.ts'
import { DomainError, badRequest, conflict, invalid, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { isZeroTime, parseTimestamp } from '../../../../core/platform/timestamp.ts'
import type { IssueId, MilestoneId } from '../../../../core/platform/crypto/ids.ts'
import { findMilestone } from '../../milestones/milestone.store.ts'
import { type User, blockQueries } from '../../../accounts/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { IssueInView } from '../views.ts'
import { canWriteIssue, endOfDay, normalizeTitle, decideUpdateTime } from '../issue.policy.ts'
import { type Issue, updateIssue, lockIssue } from '../records/issue.store.ts'
import { changeAssignees, findAssignees } from './triage-new-issue.ts'
import {
  changeDeadline,
  changeState,
  type AccountChange,
  addEntries,
  appendIssueEvent,
  type IssueChange,
  type StateRules,
} from './issue-change.ts'
import { changeMilestone } from './change-milestone.ts'
import { changeProjects, findWantedProjects, type WantedProjects } from './change-projects.ts'
import type { IssueDeps } from './create-issue.ts'
import { indexChangedTexts } from '../texts/issue-text.store.ts'
import type { Tx } from '../../../../core/db/database.ts'

/** Like `lockIssue`, but throws NotFound. */
export async function requireLocked(tx: Tx, id: IssueId): Promise<Issue> {
  const issue = await lockIssue(tx, id)
  if (issue === undefined) throw errors.issueDeleted()
  return issue
}

/** Throws NotFound for an issue that another request has transferred to another repository. */
export function requireIn(repo: Repo, issue: Issue): Issue {
  if (issue.repoId !== repo.id) throw notFound('the issue was transferred at the same time')
  return issue
}

interface Target extends IssueInView {
  /** Epoch milliseconds; administrators only. */
  readonly updatedAt?: number | undefined
}

/**
 * Runs a change of an issue in one transaction, with its row locked. Stores a time that the client gave even if `work`
 * changes nothing. Throws NotFound when the issue was deleted or transferred, and Forbidden as
 * `decideUpdateTime`.
 */
export const changeLocked = <T>(
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  { repo, access, issue: seen, updatedAt }: Target,
  work: (change: AccountChange) => Promise<T>,
): Promise<T> =>
  database.transaction(async (tx) => {
    const locked = requireIn(repo, await requireLocked(tx, seen.id))
    const at = decideUpdateTime(actor, { access, issue: locked, given: updatedAt, now: clock.now() })
    const issue = updatedAt === undefined ? locked : await updateIssue(tx, locked.id, { updated_at: at })
    return work({ tx, events, actor, repo, issue, at })
  })

/** Absent members are unchanged. */
export interface IssueEdit {
  /** Empty for no change. */
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly ref?: string | undefined
  /**
   * Logins that replace all assignees; ignored for accounts that are not writers, like the milestone and, except for
   * pull requests, the due date.
   */
  readonly assignees?: readonly string[] | undefined
  /** Ids that replace all projects; for writers only. */
  readonly projectIds?: readonly number[] | undefined
  /** 0 for none. */
  readonly milestoneId?: MilestoneId | 0 | undefined
  /** RFC 3339; the due date is the end of that day. The zero time deletes it. */
  readonly dueDate?: string | undefined
  readonly unsetsDueDate?: boolean | undefined
  /** `open` or `closed`. */
  readonly state?: string | undefined
  /** The version of the body that the client has seen. */
  readonly contentVersion?: number | undefined
  /** Epoch milliseconds; administrators only. */
  readonly updatedAt?: number | undefined
}

export interface EditDeps extends IssueDeps {
  readonly stateRules: StateRules
}

/**
 * Changes an issue in one transaction. Throws Forbidden, Invalid, BadRequest, Conflict for another version of the body,
 * and Precondition for an unknown or refused state (behaviour/issues#creating-editing-deleting).
 */
export async function editIssue(deps: EditDeps, actor: SignedIn, target: IssueInView, edit: IssueEdit): Promise<Issue> {
  const prepared = await prepareEdit(deps, actor, target, edit)
  return changeLocked(deps, actor, { ...target, updatedAt: edit.updatedAt }, (change) =>
    applyEdit(deps, change, prepared),
  )
}

/** An edit with the rows that were read before its transaction. */
interface PreparedEdit {
  readonly edit: IssueEdit
  readonly access: IssueInView['access']
  readonly isWriter: boolean
  /** Undefined for no change. */
  readonly assignees: readonly User[] | undefined
  /** Undefined for no change. */
  readonly projects: WantedProjects | undefined
  readonly toState: 'open' | 'closed' | undefined
}

/** Throws Invalid, BadRequest, and Precondition for an unknown state. */
export async function prepareEdit(
  { database }: Pick<EditDeps, 'database'>,
  actor: SignedIn,
  { repo, access, issue }: IssueInView,
  edit: IssueEdit,
): Promise<PreparedEdit> {
  const isWriter = canWriteIssue(access, issue)
  const toState = readState(edit.state)
  if (edit.unsetsDueDate === false && edit.dueDate === undefined) throw badRequest('The due_date cannot be empty')
  const assignees =
    isWriter && edit.assignees ? await findAssignees(database.read, actor, repo, edit.assignees) : undefined
  const projects =
    isWriter && edit.projectIds
      ? await findWantedProjects(database.read, actor, { repo, access }, edit.projectIds)
      : undefined
  return { edit, access, isWriter, assignees, projects, toState }
}

/** Changes the locked issue; returns it with the changes. Throws as `editIssue`. */
export async function applyEdit(
  deps: Pick<EditDeps, 'stateRules'>,
  change: AccountChange,
  prepared: PreparedEdit,
): Promise<Issue> {
  const { edit, access, isWriter, toState } = prepared
  const { tx, issue, actor, repo } = change
  if (edit.contentVersion !== undefined && edit.contentVersion !== issue.contentVersion)
    throw conflict('the issue is already changed')
  const editsText = [edit.title, edit.body].some((text) => text !== undefined)
  if (editsText && !isRepoAdmin(access)) await blockQueries.requireUnblocked(tx, actor.account.id, [repo.ownerId])
  let edited = { ...change, issue: await editTexts(change, edit) }
  if (isWriter) edited = { ...change, issue: await editPlanning(edited, prepared) }
  else if (issue.isPull) edited = { ...change, issue: await editDeadline(edited, edit) }
  if (toState === undefined || toState === (issue.isClosed ? 'closed' : 'open')) return edited.issue
  await deps.stateRules.run(edited, toState)
  return changeState(edited, { isClosed: toState === 'closed' })
}

const precondition = (message: string): DomainError => new DomainError('precondition', message)

function readState(state: string | undefined): 'open' | 'closed' | undefined {
  if (state === undefined || state === 'open' || state === 'closed') return state
  throw precondition(`unknown state: ${state}`)
}

/** Title, body and ref. Returns the issue as it is then. */
async function editTexts(change: IssueChange, edit: IssueEdit): Promise<Issue> {
  const { tx, issue, at } = change
  const title = normalizeTitle(edit.title ?? '') || issue.title
  const { body = issue.body, ref = issue.ref } = edit
  const isNew = { title: title !== issue.title, body: body !== issue.body, ref: ref !== issue.ref }
  if (!isNew.title && !isNew.body && !isNew.ref) return issue
  await indexChangedTexts(tx, issue, { title, body })
  const edited = await updateIssue(tx, issue.id, {
    title,
    body,
    ref,
    updated_at: at,
    ...(isNew.body && { content_version: issue.contentVersion + 1 }),
  })
  if (isNew.title)
    await addEntries(change, { kind: 'change_title', payload: { oldTitle: issue.title, newTitle: title } })
  if (isNew.ref) await addEntries(change, { kind: 'change_issue_ref', payload: { oldRef: issue.ref, newRef: ref } })
  if (isNew.title || isNew.body)
    await appendIssueEvent({ ...change, issue: edited }, 'issue.edited', {
      ...(isNew.title && { old_title: issue.title }),
      ...(isNew.body && { old_body: issue.body }),
    })
  return edited
}

/**
 * Assignees, milestone, projects and due date; the due date of a pull request is changed first
 * (behaviour/pull-requests#editing-a-pull-request). Returns the changed issue.
 */
async function editPlanning(change: AccountChange, { edit, assignees, projects }: PreparedEdit): Promise<Issue> {
  const { tx, repo, at } = change
  let { issue } = change
  if (issue.isPull) issue = await editDeadline(change, edit)
  if (assignees !== undefined && (await changeAssignees({ ...change, issue }, assignees)))
    issue = await updateIssue(tx, issue.id, { updated_at: at })
  if (edit.milestoneId !== undefined) {
    if (edit.milestoneId !== 0 && (await findMilestone(tx, repo.id, edit.milestoneId)) === undefined)
      throw invalid(`[Milestone]: there is no milestone ${edit.milestoneId} in the repository`)
    issue = await changeMilestone({ ...change, issue }, edit.milestoneId || undefined)
  }
  if (projects !== undefined && (await changeProjects({ ...change, issue }, projects)))
    issue = await updateIssue(tx, issue.id, { updated_at: at })
  return issue.isPull ? issue : editDeadline({ ...change, issue }, edit)
}

async function editDeadline(change: IssueChange, { unsetsDueDate, dueDate }: IssueEdit): Promise<Issue> {
  if (unsetsDueDate === true) return changeDeadline(change, undefined)
  if (dueDate === undefined) return change.issue
  const isUnset = isZeroTime(parseTimestamp(dueDate)!)
  return changeDeadline(change, isUnset ? undefined : endOfDay(dueDate))
}
