import type { Viewer } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { EventPayload } from '../../../core/events/index.ts'
import { asId, type IssueId, type LabelId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { type Attachment, type Repo, type RepoInView, attachmentQueries } from '../../repositories/index.ts'
import { type Label, listLabelsByIds } from '../labels/label.store.ts'
import { type Milestone, listMilestonesByIds } from '../milestones/milestone.store.ts'
import { loadProjectsOfIssues, type ProjectView } from '../projects/project-views.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { loadIssueLinks, loadLabelsOf } from './records/issue-links.store.ts'
import { listPullMetas, type PullMeta } from './records/records.store.ts'
import { type Issue, listIssuesByIds } from './records/issue.store.ts'

/** An issue of a repository that the viewer may read. */
export interface IssueInView extends RepoInView {
  readonly issue: Issue
}

/** The data of the wire model of an issue. */
export interface IssueView {
  readonly issue: Issue
  readonly repo: Repo
  /** Undefined when the account was deleted. */
  readonly author: User | undefined
  readonly assignees: readonly User[]
  /** Sorted by name. */
  readonly labels: readonly Label[]
  readonly milestone: Milestone | undefined
  /** Projects that the viewer may read, ordered by id. */
  readonly projects: readonly ProjectView[]
  /** The files of the issue, without those of its comments. */
  readonly assets: readonly Attachment[]
  /** Undefined for an issue. */
  readonly pull: PullMeta | undefined
}

interface ViewOptions {
  readonly viewer?: Viewer
  readonly pulls?: ReadonlyMap<IssueId, PullMeta>
  readonly linksOf?: Awaited<ReturnType<typeof loadIssueLinks>>
}

/**
 * The views of the issues with these ids, in their order; leaves out unknown ids. What belongs to the issues is read
 * together with them: on PostgreSQL each query that waits for another one wakes both processes once more.
 */
export async function loadIssueViewsByIds(
  db: Db,
  viewer: Viewer,
  ids: readonly IssueId[],
  listRepos: (ids: RepoId[]) => readonly Repo[] | Promise<readonly Repo[]>,
): Promise<IssueView[]> {
  if (ids.length === 0) return []
  const [issues, linksOf] = await Promise.all([listIssuesByIds(db, ids), loadIssueLinks(db, ids)])
  const repos = await listRepos([...new Set(issues.map(({ repoId }) => repoId))])
  return loadIssueViews(db, issues, new Map(repos.map((repo) => [repo.id, repo])), { viewer, linksOf })
}

/**
 * Loads views with a fixed number of queries, in the given order. Omits issues of repositories that are not given. Does
 * not read the owners of the repositories again, nor the pull requests in `pulls`, and no projects without a viewer.
 */
export async function loadIssueViews(
  db: Db,
  issues: readonly Issue[],
  repos: ReadonlyMap<RepoId, Repo>,
  { viewer, pulls, linksOf: known }: ViewOptions = {},
): Promise<IssueView[]> {
  if (issues.length === 0) return []
  const ids = issues.map((issue) => issue.id)
  const linksOf = known ?? (await loadIssueLinks(db, ids))
  const links = ids.map(linksOf)
  const userIds = issues.flatMap((issue, index) => [issue.authorId, ...links[index]!.assigneeIds])
  const milestoneIds = issues.flatMap((issue) => issue.milestoneId ?? [])
  const pullIds = issues.filter((issue) => issue.isPull).map((issue) => issue.id)
  const owners = [...repos.values()].map(({ owner }) => owner)
  const [accounts, labelsOf, milestones, assets, metas, projects] = await Promise.all([
    userQueries.listByIds(db, userIds, owners),
    loadLabelsOf(db, links),
    listMilestonesByIds(db, milestoneIds),
    attachmentQueries.listByIds(
      db,
      links.flatMap(({ fileIds }) => fileIds),
    ),
    pulls ?? listPullMetas(db, pullIds),
    viewer &&
      loadProjectsOfIssues(
        db,
        viewer,
        issues.map(({ id, repoId }) => ({ id, repoId, projectIds: linksOf(id).projectIds })),
        repos,
      ),
  ])
  const users = new Map(accounts.map((user) => [user.id, user]))
  const assetsOf = Map.groupBy(assets, (asset) => asset.issueId)
  return issues.flatMap((issue, index) => {
    const repo = repos.get(issue.repoId)
    if (repo === undefined) return []
    return {
      issue,
      repo,
      author: users.get(issue.authorId),
      assignees: links[index]!.assigneeIds.flatMap((id) => users.get(id) ?? []),
      labels: labelsOf(links[index]!),
      milestone: issue.milestoneId && milestones.get(issue.milestoneId),
      projects: projects?.get(issue.id) ?? [],
      assets: assetsOf.get(issue.id) ?? [],
      pull: metas.get(issue.id),
    }
  })
}

/** The data of a deleted issue in its event. */
export type DeletedIssue = Pick<EventPayload<'issue.deleted'>, 'record' | 'label_ids' | 'assignee_ids'>

/** The view of a deleted issue, without its files; undefined when the event lacks data. */
export async function loadDeletedIssueView(
  db: Db,
  { record, label_ids: labelIds = [], assignee_ids: assigneeIds = [] }: DeletedIssue,
  repo: Repo,
): Promise<IssueView | undefined> {
  if (record === undefined) return undefined
  const users = await userQueries.listByIds(db, [record.authorId, ...assigneeIds.map((id) => asId<UserId>(id))])
  const labels = await listLabelsByIds(
    db,
    labelIds.map((id) => asId<LabelId>(id)),
  )
  const milestones = await listMilestonesByIds(db, record.milestoneId === undefined ? [] : [record.milestoneId])
  return {
    issue: record,
    repo,
    author: users.find((user) => user.id === record.authorId),
    assignees: assigneeIds.flatMap((id) => users.find((user) => user.id === id) ?? []),
    labels: labelIds.flatMap((id) => labels.get(asId<LabelId>(id)) ?? []),
    milestone: record.milestoneId && milestones.get(record.milestoneId),
    projects: [],
    assets: [],
    pull: undefined,
  }
}
