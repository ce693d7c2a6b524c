import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { invalid, invalidField } from '../../../../core/platform/errors.ts'
import { asId, type ProjectColumnId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { errors } from '../../../errors.ts'
import { moveCards } from '../cards/card.store.ts'
import { MAX_COLUMNS, MAX_SORTING, requireColor, requireTitle } from '../project.policy.ts'
import { type Project, updateProject } from '../project.store.ts'
import { projectOrigin, projectPayload, type ProjectEventKind } from '../projects.events.ts'
import { lockProject, type ProjectDeps } from '../projects.service.ts'
import { type ColumnView, loadColumnViews } from './column-views.ts'
import {
  countColumns,
  deleteColumn,
  findColumn,
  findLastSorting,
  getDefaultColumn,
  insertColumns,
  listColumnIds,
  listColumns,
  type ProjectColumn,
  setDefaultColumn,
  sortColumns,
  updateColumn,
} from './column.store.ts'

/** Absent members are unchanged. */
interface ColumnChange {
  readonly title?: string | undefined
  readonly color?: string | undefined
  readonly sorting?: number | undefined
}

export type Columns = ReturnType<typeof createColumns>

/** Columns of projects (behaviour/issues#projects). Callers check permissions. */
export function createColumns(deps: ProjectDeps) {
  const { database } = deps
  const { read } = database
  const viewOf = async (column: ProjectColumn): Promise<ColumnView> => (await loadColumnViews(read, [column]))[0]!
  return {
    /** Columns in the order of the board. */
    async list(project: Project, paging: Paging): Promise<Page<ColumnView>> {
      const { items, total } = await listColumns(read, project.id, paging)
      return { items: await loadColumnViews(read, items), total }
    },

    /** Throws NotFound. */
    get: async (project: Project, id: ProjectColumnId): Promise<ColumnView> =>
      viewOf(requireColumn(await findColumn(read, project.id, id))),

    /** Adds a column at the end. Throws Invalid, also when the project has too many. */
    async create(
      actor: SignedIn,
      project: Project,
      input: { readonly title: string; readonly color: string },
    ): Promise<ColumnView> {
      const values = { title: requireTitle(input.title), color: requireColor(input.color) }
      const column = await changeColumns(deps, actor, project, async (tx, at) => {
        if ((await countColumns(tx, project.id)) >= MAX_COLUMNS)
          throw invalid(`a project has at most ${MAX_COLUMNS} columns`)
        const last = await findLastSorting(tx, project.id)
        const sorting = Math.min((last ?? -1) + 1, MAX_SORTING)
        const row = { ...values, project_id: project.id, creator_id: actor.account.id, sorting }
        const [made] = await insertColumns(tx, [{ ...row, created_at: at, updated_at: at }])
        return { kind: 'project_column.created', column: made! }
      })
      return viewOf(column)
    },

    /** Throws NotFound, and Invalid as `create`. */
    async edit(
      actor: SignedIn,
      project: Project,
      id: ProjectColumnId,
      { title, color, sorting }: ColumnChange,
    ): Promise<ColumnView> {
      const values = {
        ...(title !== undefined && { title: requireTitle(title) }),
        ...(color !== undefined && { color: requireColor(color) }),
        ...(sorting !== undefined && { sorting }),
      }
      const column = await changeColumns(deps, actor, project, async (tx, at) => {
        requireColumn(await findColumn(tx, project.id, id))
        return { kind: 'project_column.edited', column: await updateColumn(tx, id, { ...values, updated_at: at }) }
      })
      return viewOf(column)
    },

    /** Issues that are added to the project without a column will be in this one. Throws NotFound. */
    async setDefault(actor: SignedIn, project: Project, id: ProjectColumnId): Promise<void> {
      await changeColumns(deps, actor, project, async (tx, at) => {
        const column = requireColumn(await findColumn(tx, project.id, id))
        await setDefaultColumn(tx, project.id, id, at)
        return { kind: 'project_column.edited', column }
      })
    },

    /** Its issues go to the end of the default column. Throws NotFound, and Invalid for the default column. */
    async delete(actor: SignedIn, project: Project, id: ProjectColumnId): Promise<void> {
      await changeColumns(deps, actor, project, async (tx) => {
        const column = requireColumn(await findColumn(tx, project.id, id))
        if (column.isDefault) throw invalid('the default column cannot be deleted')
        await moveCards(tx, id, (await getDefaultColumn(tx, project.id)).id)
        await deleteColumn(tx, id)
        return { kind: 'project_column.deleted', column }
      })
    },

    /** Throws Invalid unless `ids` are all columns of the project. */
    sort: (actor: SignedIn, project: Project, ids: readonly number[]): Promise<void> =>
      database.transaction(async (tx) => {
        const at = deps.clock.now()
        const locked = await lockProject(tx, project.owner, project.id)
        const present = await listColumnIds(tx, project.id)
        const isWhole = ids.length === present.length && new Set(ids).size === ids.length
        if (!isWhole || !present.every((id) => ids.includes(id)))
          throw invalidField('ColumnIDs', 'must be the ids of all columns of the project')
        const moved = ids.map((id) => asId<ProjectColumnId>(id))
        await sortColumns(tx, moved, at)
        await updateProject(tx, project.id, { updated_at: at })
        await deps.events.append(tx, 'project.edited', projectOrigin(actor, locked, at), projectPayload(locked))
      }),
  }
}

interface ChangedColumn {
  readonly kind: ProjectEventKind & `project_column.${string}`
  readonly column: ProjectColumn
}

/** Changes one column with the project locked; appends the event that `work` returns. */
const changeColumns = (
  { database, clock, events }: ProjectDeps,
  actor: SignedIn,
  { id, owner }: Project,
  work: (tx: Tx, at: number) => Promise<ChangedColumn>,
): Promise<ProjectColumn> =>
  database.transaction(async (tx) => {
    const at = clock.now()
    const project = await lockProject(tx, owner, id)
    const { kind, column } = await work(tx, at)
    const payload = { ...projectPayload(project), column_id: column.id, column_title: column.title }
    await events.append(tx, kind, projectOrigin(actor, project, at), payload)
    return column
  })

function requireColumn(column: ProjectColumn | undefined): ProjectColumn {
  if (column === undefined) throw errors.projectColumnNotFound()
  return column
}
