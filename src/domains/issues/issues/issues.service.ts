import type { Services } from '../../../core/module.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { IssueId, RepoId } from '../../../core/platform/crypto/ids.ts'
import { errors } from '../../errors.ts'
import { type Repo, type RepoInView, repoQueries } from '../../repositories/index.ts'
import { userRows } from '../../accounts/index.ts'
import { changeDeadline, counterOf, milestoneCount, appendIssueEvent } from './changes/issue-change.ts'
import { editAssignees, requireAssignee } from './changes/edit-assignees.ts'
import { changeLocked, type EditDeps, editIssue, type IssueEdit } from './changes/edit-issue.ts'
import { createIssue, type NewIssue, type IssueDeps } from './changes/create-issue.ts'
import { findIssueById, type Issue, deleteIssue as deleteRow } from './records/issue.store.ts'
import { type IssueInView, type IssueView, loadIssueViews } from './views.ts'
import { addToLabelCounters } from '../labels/label.store.ts'
import { addToMilestoneCounters } from '../milestones/milestone.store.ts'
import { listAssigneeIds } from './records/issue-assignee.store.ts'
import { listLabelsOfIssues } from './records/records.store.ts'
import { closePinGap } from './pins/pins.service.ts'

interface DeletionDeps extends IssueDeps {
  readonly attachments: Pick<Services['attachments'], 'deleteOf'>
}

/** Deletes an issue with all its data and files. */
const deleteIssue = (deps: DeletionDeps, actor: SignedIn, target: IssueInView): Promise<void> =>
  changeLocked(deps, actor, target, async (change) => {
    const { tx, repo, issue } = change
    await appendIssueEvent(change, 'issue.deleting', {})
    await repoQueries.addToCounter(tx, repo.id, counterOf(issue), -1)
    if (issue.milestoneId !== undefined)
      await addToMilestoneCounters(tx, new Map([[issue.milestoneId, milestoneCount(issue, -1)]]))
    const labelIds = ((await listLabelsOfIssues(tx, [issue.id])).get(issue.id) ?? []).map((label) => label.id)
    const assigneeIds = (await listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
    await addToLabelCounters(tx, labelIds, -1)
    await closePinGap(tx, issue)
    await deps.attachments.deleteOf(tx, 'issue', issue.id)
    await deleteRow(tx, issue.id)
    await appendIssueEvent(change, 'issue.deleted', {
      title: issue.title,
      poster_id: issue.authorId,
      record: issue,
      label_ids: labelIds,
      assignee_ids: [...assigneeIds],
    })
  })

export interface IssuesDeps extends EditDeps {
  readonly attachments: Pick<Services['attachments'], 'deleteOf'>
}

export type Issues = ReturnType<typeof createIssues>

/** Issues and pull requests (behaviour/issues#creating-editing-deleting). Callers check permissions. */
export function createIssues(deps: IssuesDeps) {
  const { read } = deps.database
  return {
    /** Adds or removes assignees by login. Throws Invalid and Forbidden for those that cannot be assigned. */
    editAssignees: (
      actor: SignedIn,
      target: IssueInView,
      edit: { readonly logins: readonly string[]; readonly isRemoval: boolean },
    ): Promise<Issue> => editAssignees(deps, actor, target, edit),
    /** Throws NotFound unless issues of the repository can be assigned to the account. */
    requireAssignee: (viewer: SignedIn, repo: Repo, login: string): Promise<void> =>
      requireAssignee(read, viewer, repo, login),
    /** Views in the given order; omits issues of other repositories. */
    views: (viewer: Viewer, repo: Repo, issues: readonly Issue[]): Promise<IssueView[]> =>
      viewsIn(read, viewer, repo, issues),
    view: async (viewer: Viewer, repo: Repo, issue: Issue): Promise<IssueView> =>
      (await viewsIn(read, viewer, repo, [issue]))[0]!,
    /** Throws NotFound. */
    async getById(id: IssueId): Promise<Issue> {
      const issue = await findIssueById(read, id)
      if (issue === undefined) throw errors.issueNotFound()
      return issue
    },
    /** See `createIssue`. */
    async create(actor: SignedIn, target: RepoInView, input: NewIssue): Promise<IssueView> {
      const { repo } = target
      const { issue, plan } = await createIssue(deps, actor, target, input)
      const author = userRows.knownUser(actor.account)
      if (author === undefined || input.projectIds?.length) return (await viewsIn(read, actor, repo, [issue]))[0]!
      return { issue, repo, author, ...plan, projects: [], assets: [], pull: undefined }
    },
    /** See `editIssue`. */
    edit: (actor: SignedIn, target: IssueInView, edit: IssueEdit): Promise<Issue> =>
      editIssue(deps, actor, target, edit),
    /** Epoch milliseconds; undefined deletes the due date. */
    setDeadline: (actor: SignedIn, target: IssueInView, dueAt: number | undefined): Promise<Issue> =>
      changeLocked(deps, actor, target, (change) => changeDeadline(change, dueAt)),
    delete: (actor: SignedIn, target: IssueInView): Promise<void> => deleteIssue(deps, actor, target),
  }
}

const viewsIn = (db: Db, viewer: Viewer, repo: Repo, issues: readonly Issue[]): Promise<IssueView[]> =>
  loadIssueViews(db, issues, new Map<RepoId, Repo>([[repo.id, repo]]), { viewer })
