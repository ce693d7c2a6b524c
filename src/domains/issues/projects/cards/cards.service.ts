import { AccessMode } from '../../../../core/access/repo-access.ts'
import { isPublicRepo } from '../../../../core/access/authorize.ts'
import { isPublicOnly, type SignedIn, type Viewer } from '../../../../core/access/viewer.ts'
import type { IssueId, ProjectColumnId } from '../../../../core/platform/crypto/ids.ts'
import { invalid, invalidField } from '../../../../core/platform/errors.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { errors } from '../../../errors.ts'
import { accessQueries, type Repo, repoQueries } from '../../../repositories/index.ts'
import { changeLocked } from '../../issues/changes/edit-issue.ts'
import type { AccountChange } from '../../issues/changes/issue-change.ts'
import { canReadIssue } from '../../issues/issue.policy.ts'
import { findIssueById, type Issue, listIssuesByIds, updateIssue } from '../../issues/records/issue.store.ts'
import { type IssueInView, type IssueView, loadIssueViews } from '../../issues/views.ts'
import { findColumn } from '../columns/column.store.ts'
import { allowsProjects, modeOn } from '../project.policy.ts'
import type { Project } from '../project.store.ts'
import { lockProject, type ProjectDeps } from '../projects.service.ts'
import { addToProject, moveInProject, removeFromProject } from './change-cards.ts'
import { findCardAt, listBoardCards, listReadableCards } from './card.store.ts'

interface Move {
  readonly columnId: ProjectColumnId
  /** Position from 0 among the issues of the column that the actor may read; undefined for the end. */
  readonly position: number | undefined
}

/** An issue in a column of a board. */
interface CardView {
  readonly issue: Issue
  readonly repo: Repo
  readonly columnId: ProjectColumnId
}

export type Cards = ReturnType<typeof createCards>

/** The issues and pull requests in the columns of projects (behaviour/issues#projects). */
export function createCards(deps: ProjectDeps) {
  const { read } = deps.database
  const change = async <T>(
    actor: SignedIn,
    { project, issueId }: Target,
    work: (change: AccountChange, project: Project) => Promise<T>,
  ): Promise<T> => {
    const target = await getIssue(deps, actor, issueId)
    if (target.repo.isArchived) throw errors.repoArchived(target.repo.fullName)
    return changeLocked(deps, actor, target, async (locked) =>
      work(locked, await lockProject(locked.tx, project.owner, project.id)),
    )
  }
  return {
    /** The issues of a column that the viewer may read, in the order of the column, with their number. */
    async list(viewer: Viewer, columnId: ProjectColumnId, paging: Paging): Promise<Page<IssueView>> {
      const { items, total } = await listReadableCards(read, viewer, columnId, paging)
      const issues = await listIssuesByIds(read, items)
      const repos = await repoQueries.listByIds(read, [...new Set(issues.map(({ repoId }) => repoId))])
      const byId = new Map(repos.map((repo) => [repo.id, repo]))
      return { items: await loadIssueViews(read, issues, byId, { viewer }), total }
    },

    /** The issues of all columns that the viewer may read, in the order of the board, with their number. */
    async listBoard(viewer: Viewer, project: Project, paging: Paging): Promise<Page<CardView>> {
      const { items, total } = await listBoardCards(read, viewer, project.id, paging)
      const issues = await listIssuesByIds(
        read,
        items.map(({ issueId }) => issueId),
      )
      const repos = await repoQueries.listByIds(read, [...new Set(issues.map(({ repoId }) => repoId))])
      const repoOf = new Map(repos.map((repo) => [repo.id, repo]))
      const columnOf = new Map(items.map(({ issueId, columnId }) => [issueId, columnId]))
      const cards = issues.flatMap((issue) => {
        const repo = repoOf.get(issue.repoId)
        return repo === undefined ? [] : { issue, repo, columnId: columnOf.get(issue.id)! }
      })
      return { items: cards, total }
    },

    /**
     * Adds an issue to the end of a column; moves it there if the project has it already. Throws NotFound for an issue
     * that the actor may not read, Invalid for one of another repository or owner, Locked for an archived repository.
     */
    async add(actor: SignedIn, target: Target, columnId: ProjectColumnId): Promise<IssueView> {
      await change(actor, target, async (locked, project) => {
        requireBelonging(project, locked.repo)
        await requireColumnIn(locked, project, columnId)
        if (await addToProject(locked, project, columnId))
          await updateIssue(locked.tx, locked.issue.id, { updated_at: locked.at })
      })
      const { repo, issue } = await getIssue(deps, actor, target.issueId)
      return (await loadIssueViews(read, [issue], new Map([[repo.id, repo]]), { viewer: actor }))[0]!
    },

    /** Throws NotFound, also if the issue is not in the column, and Locked for an archived repository. */
    remove: (actor: SignedIn, target: Target, columnId: ProjectColumnId): Promise<void> =>
      change(actor, target, async (locked, project) => {
        await removeFromProject(locked, project, columnId)
        await updateIssue(locked.tx, locked.issue.id, { updated_at: locked.at })
      }),

    /** Throws as `remove`, and Invalid for a column of another project. */
    move: (actor: SignedIn, target: Target, { columnId, position }: Move): Promise<void> =>
      change(actor, target, async (locked, project) => {
        const { tx, issue } = locked
        if ((await findColumn(tx, project.id, columnId)) === undefined)
          throw invalidField('ColumnID', 'must be a column of the project')
        const before =
          position === undefined ? undefined : await findCardAt(tx, actor, { columnId, position, moved: issue.id })
        await moveInProject(locked, project, { projectId: project.id, columnId, before })
      }),
  }
}

/** An issue in the project, or to be added to it. */
interface Target {
  readonly project: Project
  readonly issueId: IssueId
}

/** Throws NotFound for an issue that the actor may not read. */
async function getIssue({ database: { read } }: ProjectDeps, actor: SignedIn, id: IssueId): Promise<IssueInView> {
  const issue = await findIssueById(read, id)
  const repo = issue && (await repoQueries.findById(read, issue.repoId))
  if (issue === undefined || repo === undefined) throw errors.issueNotFound()
  const access = await accessQueries.load(read, actor, repo)
  if (!canReadIssue(access, issue) || (isPublicOnly(actor) && !isPublicRepo(repo))) throw errors.issueNotFound()
  return { issue, repo, access }
}

const EVERY = { repo: AccessMode.owner, owner: AccessMode.owner }

function requireBelonging(project: Project, repo: Repo): void {
  if (modeOn(EVERY, repo, project) === AccessMode.none)
    throw invalid('the issue is not in the repository of the project, nor in one of its owner')
  if (!allowsProjects(repo, 'repoId' in project.owner ? 'repo' : 'owner'))
    throw invalid(`the issues of ${repo.fullName} cannot be in this project`)
}

/** Throws NotFound. */
async function requireColumnIn({ tx }: AccountChange, project: Project, id: ProjectColumnId): Promise<void> {
  if ((await findColumn(tx, project.id, id)) === undefined) throw errors.projectColumnNotFound()
}
