import { AccessMode } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { invalidField } from '../../../../core/platform/errors.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import { addToProject, removeFromProject } from '../../projects/cards/change-cards.ts'
import { modeOn, type ProjectRights } from '../../projects/project.policy.ts'
import { listProjectsByIds, listProjectsOfIssue, lockProjects, type Project } from '../../projects/project.store.ts'
import { loadProjectRights } from '../../projects/rights/load-rights.ts'
import type { AccountChange } from './issue-change.ts'

/** The projects that an issue shall be in, and the rights of the account that asks for them. */
export interface WantedProjects {
  readonly projects: readonly Project[]
  readonly rights: ProjectRights
}

/**
 * The projects with these ids. Throws Invalid for one to which issues of the repository cannot belong, or which the
 * actor may not read.
 */
export async function findWantedProjects(
  db: Db,
  actor: SignedIn,
  target: RepoInView,
  ids: readonly number[],
): Promise<WantedProjects> {
  const rights = await loadProjectRights(db, actor, target)
  const projects = await listProjectsByIds(db, [...new Set(ids)])
  const readable = projects.filter((project) => modeOn(rights, target.repo, project) >= AccessMode.read)
  const unknown = ids.find((id) => !readable.some((project) => project.id === id))
  if (unknown !== undefined) throw invalidField('Projects', `there is no project ${unknown}`)
  return { projects: readable, rights }
}

/**
 * Replaces the projects of the issue; those that the actor may not write remain as they are. Throws Invalid when one to
 * be added may not be written. Returns whether anything changed.
 */
export async function changeProjects(
  change: AccountChange,
  { projects: wanted, rights }: WantedProjects,
): Promise<boolean> {
  const { tx, issue, repo } = change
  const isWritable = (project: Project): boolean => modeOn(rights, repo, project) >= AccessMode.write
  const present = await listProjectsOfIssue(tx, issue.id)
  const includes = (projects: readonly Project[], { id }: Project): boolean =>
    projects.some((project) => project.id === id)
  const added = wanted.filter((project) => !includes(present, project))
  const refused = added.find((project) => !isWritable(project))
  if (refused) throw invalidField('Projects', `project ${refused.id} may not be changed`)
  const removed = present.filter((project) => isWritable(project) && !includes(wanted, project))
  const locked = await lockProjects(
    tx,
    [...added, ...removed].map(({ id }) => id),
  )
  for (const project of locked)
    if (includes(added, project)) await addToProject(change, project)
    else await removeFromProject(change, project)
  return locked.length > 0
}
