import type { Insertable, Selectable, Updateable } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { deleteInSteps } from '../../../core/db/delete-in-steps.ts'
import { selectPage } from '../../../core/db/page.ts'
import { asId, type IssueId, type ProjectId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { CardType, ProjectTable, TemplateType } from './project.table.ts'

/** A project belongs to a repository, or to a user or an organization. */
export type ProjectOwner = { readonly repoId: RepoId } | { readonly ownerId: UserId }

/** Times are epoch milliseconds. */
export interface Project {
  readonly id: ProjectId
  readonly owner: ProjectOwner
  /** The account may have been deleted. */
  readonly creatorId: UserId
  readonly title: string
  readonly description: string
  readonly templateType: TemplateType
  readonly cardType: CardType
  readonly createdAt: number
  readonly updatedAt: number
  /** Undefined while open. */
  readonly closedAt: number | undefined
}

const toProject = (row: Selectable<ProjectTable>): Project => ({
  id: asId(row.id),
  owner: row.repo_id === null ? { ownerId: asId(row.owner_id!) } : { repoId: asId(row.repo_id) },
  creatorId: asId(row.creator_id),
  title: row.title,
  description: row.description,
  templateType: row.template_type,
  cardType: row.card_type,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  closedAt: row.closed_at || undefined,
})

/** One of the two ids is null. */
export const ownerColumns = (owner: ProjectOwner): Pick<Selectable<ProjectTable>, 'repo_id' | 'owner_id'> =>
  'repoId' in owner ? { repo_id: owner.repoId, owner_id: null } : { repo_id: null, owner_id: owner.ownerId }

function projectsOf(db: Db, owner: ProjectOwner) {
  const projects = db.selectFrom('project').selectAll()
  return 'repoId' in owner
    ? projects.where('repo_id', '=', owner.repoId)
    : projects.where('owner_id', '=', owner.ownerId)
}

/** Projects ordered by id. */
export function listProjects(
  db: Db,
  owner: ProjectOwner,
  { state, paging }: { readonly state: 'open' | 'closed' | 'all'; readonly paging: Paging },
): Promise<Page<Project>> {
  const all = projectsOf(db, owner)
  const wanted = state === 'all' ? all : all.where('is_closed', '=', state === 'closed' ? 1 : 0)
  return selectPage(wanted.orderBy('id'), paging, toProject)
}

/** Also undefined if the project has another owner. */
export async function findProject(db: Db, owner: ProjectOwner, id: ProjectId): Promise<Project | undefined> {
  const row = await projectsOf(db, owner).where('id', '=', id).executeTakeFirst()
  return row && toProject(row)
}

/** Projects of any owner, by id; omits unknown ids. */
export async function listProjectsByIds(db: Db, ids: readonly number[]): Promise<Project[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('project').selectAll().where('id', 'in', ids).orderBy('id').execute()).map(toProject)
}

/**
 * Locks the rows until the transaction ends, so that their columns and the order of their issues do not change. By id;
 * omits deleted projects.
 */
export async function lockProjects(tx: Tx, ids: readonly ProjectId[]): Promise<Project[]> {
  if (ids.length === 0) return []
  const query = tx.selectFrom('project').selectAll().where('id', 'in', ids).orderBy('id')
  return (await dialectOf(tx).lockRows(query).execute()).map(toProject)
}

export async function insertProject(tx: Tx, values: Insertable<ProjectTable>): Promise<Project> {
  return toProject(await tx.insertInto('project').values(values).returningAll().executeTakeFirstOrThrow())
}

export async function updateProject(tx: Tx, id: ProjectId, values: Updateable<ProjectTable>): Promise<Project> {
  const update = tx.updateTable('project').set(values).where('id', '=', id).returningAll()
  return toProject(await update.executeTakeFirstOrThrow())
}

/** Deletes a project and its columns; the issues remain. */
export const deleteProject = (tx: Tx, id: ProjectId): Promise<void> => deleteInSteps(tx, 'project', [id])

/** The projects of an issue, by id. */
export async function listProjectsOfIssue(db: Db, issueId: IssueId): Promise<Project[]> {
  const rows = await db
    .selectFrom('project_issue')
    .innerJoin('project', 'project.id', 'project_issue.project_id')
    .selectAll('project')
    .where('project_issue.issue_id', '=', issueId)
    .orderBy('project.id')
    .execute()
  return rows.map(toProject)
}
