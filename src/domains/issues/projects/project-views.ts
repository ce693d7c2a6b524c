import type { Viewer } from '../../../core/access/viewer.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import type { Db } from '../../../core/db/database.ts'
import { cachedByIds } from '../../../core/db/read-cache.ts'
import type { IssueId, ProjectId, RepoId } from '../../../core/platform/crypto/ids.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { accessQueries, type Repo } from '../../repositories/index.ts'
import { type CardCounts, countReadableCards } from './cards/card.store.ts'
import { allowsProjects, modeOn, repoProjectsMode } from './project.policy.ts'
import { listProjectsByIds, type Project } from './project.store.ts'
import { loadOwnerModes } from './rights/load-rights.ts'

/** The repository, user or organization that has a project. */
export type ProjectHome = { readonly repo: Repo } | { readonly account: User }

/** The data of the wire model of a project. */
export interface ProjectView {
  readonly project: Project
  readonly home: ProjectHome
  /** Undefined when the account was deleted. */
  readonly creator: User | undefined
  readonly counts: CardCounts
}

/** Loads views in the given order, with a fixed number of queries. */
export async function loadProjectViews(
  db: Db,
  viewer: Viewer,
  projects: readonly Project[],
  homeOf: (project: Project) => ProjectHome,
): Promise<ProjectView[]> {
  if (projects.length === 0) return []
  const [counts, creators] = await Promise.all([
    countReadableCards(
      db,
      viewer,
      projects.map(({ id }) => id),
    ),
    userQueries.listByIds(
      db,
      projects.map(({ creatorId }) => creatorId),
    ),
  ])
  return projects.map((project) => ({
    project,
    home: homeOf(project),
    creator: creators.find(({ id }) => id === project.creatorId),
    counts: counts.get(project.id) ?? { open: 0, closed: 0 },
  }))
}

interface IssueInProjects {
  readonly id: IssueId
  readonly repoId: RepoId
  readonly projectIds: readonly ProjectId[]
}

/** The projects of issues that the viewer may read; no query when the issues are in no projects. */
export async function loadProjectsOfIssues(
  db: Db,
  viewer: Viewer,
  all: readonly IssueInProjects[],
  repos: ReadonlyMap<RepoId, Repo>,
): Promise<ReadonlyMap<IssueId, readonly ProjectView[]>> {
  const issues = all.filter(({ projectIds }) => projectIds.length > 0)
  if (issues.length === 0) return new Map()
  const ids = issues.flatMap(({ projectIds }) => projectIds)
  const found = await cachedByIds(db, 'project', ids, (missing) => listProjectsByIds(db, missing))
  const concerned = issues.flatMap(({ repoId }) => repos.get(repoId) ?? [])
  const reads = await loadReads(db, viewer, [...new Set(concerned)])
  const readable = new Map<IssueId, readonly Project[]>()
  const homes = new Map<Project['id'], ProjectHome>()
  const distinct = new Map<Project['id'], Project>()
  for (const { id, repoId, projectIds } of issues) {
    const repo = repos.get(repoId)
    const projects = projectIds.flatMap((projectId) => found.get(projectId) ?? [])
    const own = repo === undefined ? [] : projects.filter((project) => reads(repo, project))
    readable.set(id, own)
    for (const project of own) {
      distinct.set(project.id, project)
      homes.set(project.id, 'repoId' in project.owner ? { repo: repo! } : { account: repo!.owner })
    }
  }
  const views = await loadProjectViews(db, viewer, [...distinct.values()], ({ id }) => homes.get(id)!)
  const byId = new Map(views.map((view) => [view.project.id, view]))
  return new Map([...readable].map(([id, own]) => [id, own.map((project) => byId.get(project.id)!)]))
}

/** Whether the viewer may read a project of an issue of one of these repositories. */
async function loadReads(
  db: Db,
  viewer: Viewer,
  repos: readonly Repo[],
): Promise<(repo: Repo, project: Project) => boolean> {
  const owners = [...new Map(repos.map(({ owner }) => [owner.id, owner])).values()]
  const [accesses, modes] = await Promise.all([
    accessQueries.loadAll(db, viewer, repos),
    loadOwnerModes(db, viewer, owners),
  ])
  return (repo, project) => {
    const rights = {
      repo: repoProjectsMode(repo, accesses.get(repo.id)!),
      owner: allowsProjects(repo, 'owner') ? modes.get(repo.ownerId)! : AccessMode.none,
    }
    return modeOn(rights, repo, project) >= AccessMode.read
  }
}
