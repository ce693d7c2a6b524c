import { Type } from '@sinclair/typebox'
import type { Actor } from '../../../core/access/viewer.ts'
import type { EventOrigin, EventPayload, PayloadsOf } from '../../../core/events/index.ts'
import { ownerColumns, type Project } from './project.store.ts'

const Id = Type.Integer()
/** One of `repo_id` and `owner_id` is 0. */
const OfProject = { repo_id: Id, owner_id: Id, project_id: Id, title: Type.String() }
const OfColumn = { ...OfProject, column_id: Id, column_title: Type.String() }
const OfCard = { ...OfProject, column_id: Id, issue_id: Id }

export const projectEvents = {
  'project.closed': Type.Object(OfProject),
  'project.created': Type.Object(OfProject),
  'project.deleted': Type.Object({
    ...OfProject,
    /** The project before the deletion, as JSON: undefined members are absent. */
    record: Type.Unsafe<Project>(Type.Object({})),
  }),
  'project.edited': Type.Object(OfProject),
  'project.reopened': Type.Object(OfProject),
  'project_card.added': Type.Object(OfCard),
  'project_card.deleted': Type.Object(OfCard),
  'project_card.moved': Type.Object({ ...OfCard, old_column_id: Id }),
  'project_column.created': Type.Object(OfColumn),
  'project_column.deleted': Type.Object(OfColumn),
  'project_column.edited': Type.Object(OfColumn),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof projectEvents> {}
}

export type ProjectEventKind = keyof typeof projectEvents

/** Events of projects of accounts belong to no repository. */
export const projectOrigin = (actor: Actor, { owner }: Project, at: number): EventOrigin => ({
  actor,
  repoId: 'repoId' in owner ? owner.repoId : 0,
  at,
})

export function projectPayload({ id, title, owner }: Project): EventPayload<'project.created'> {
  const { repo_id, owner_id } = ownerColumns(owner)
  return { repo_id: repo_id ?? 0, owner_id: owner_id ?? 0, project_id: id, title }
}
