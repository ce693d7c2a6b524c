import { invalid } from '../../../../core/platform/errors.ts'
import type { ProjectColumnId } from '../../../../core/platform/crypto/ids.ts'
import { errors } from '../../../errors.ts'
import { type AccountChange, addEntries } from '../../issues/changes/issue-change.ts'
import { getDefaultColumn } from '../columns/column.store.ts'
import { MAX_PROJECTS } from '../project.policy.ts'
import { listProjectsOfIssue, type Project } from '../project.store.ts'
import { projectOrigin, projectPayload } from '../projects.events.ts'
import { deleteCard, findCard, insertCard, moveCard, type Place } from './card.store.ts'

/**
 * Adds the issue to a project, which is locked, at the end of the column, by default the default column; moves it there
 * if the project has it already. Returns false if it is in that column. Throws Invalid when the issue is in too many
 * projects.
 */
export async function addToProject(
  change: AccountChange,
  project: Project,
  columnId?: ProjectColumnId,
): Promise<boolean> {
  const { tx, issue } = change
  const card = await findCard(tx, project.id, issue.id)
  const place = { projectId: project.id, columnId: columnId ?? (await getDefaultColumn(tx, project.id)).id }
  if (card?.columnId === place.columnId) return false
  if (card !== undefined) {
    await moveInProject(change, project, place)
    return true
  }
  const present = await listProjectsOfIssue(tx, issue.id)
  if (present.length >= MAX_PROJECTS) throw invalid(`an issue is in at most ${MAX_PROJECTS} projects`)
  await insertCard(tx, place, issue)
  await addEntries(change, { kind: 'project', targetId: project.id, payload: { isAdded: true } })
  await appendCardEvent(change, project, { kind: 'project_card.added', columnId: place.columnId })
  return true
}

/**
 * Removes the issue from a project, which is locked. Throws NotFound if it is not in it, or not in the given column.
 */
export async function removeFromProject(
  change: AccountChange,
  project: Project,
  columnId?: ProjectColumnId,
): Promise<void> {
  const { tx, issue } = change
  const card = await findCard(tx, project.id, issue.id)
  if (card === undefined || (columnId !== undefined && card.columnId !== columnId)) throw errors.projectCardNotFound()
  await deleteCard(tx, project.id, issue.id)
  await addEntries(change, { kind: 'project', targetId: project.id, payload: { isAdded: false } })
  await appendCardEvent(change, project, { kind: 'project_card.deleted', columnId: card.columnId })
}

/** Moves the issue to a place in a project, which is locked. Throws NotFound if the issue is not in the project. */
export async function moveInProject(change: AccountChange, project: Project, place: Place): Promise<void> {
  const { tx, issue } = change
  const card = await findCard(tx, project.id, issue.id)
  if (card === undefined) throw errors.projectCardNotFound()
  await moveCard(tx, place, issue.id)
  if (card.columnId !== place.columnId) await addEntries(change, { kind: 'project_board', targetId: project.id })
  await appendCardEvent(change, project, {
    kind: 'project_card.moved',
    columnId: place.columnId,
    oldColumnId: card.columnId,
  })
}

type CardEvent =
  | { readonly kind: 'project_card.added' | 'project_card.deleted'; readonly columnId: ProjectColumnId }
  | {
      readonly kind: 'project_card.moved'
      readonly columnId: ProjectColumnId
      readonly oldColumnId: ProjectColumnId
    }

async function appendCardEvent(
  { tx, events, actor, issue, at }: AccountChange,
  project: Project,
  event: CardEvent,
): Promise<void> {
  const origin = projectOrigin(actor, project, at)
  const payload = { ...projectPayload(project), column_id: event.columnId, issue_id: issue.id }
  if (event.kind === 'project_card.moved')
    await events.append(tx, event.kind, origin, { ...payload, old_column_id: event.oldColumnId })
  else await events.append(tx, event.kind, origin, payload)
}
