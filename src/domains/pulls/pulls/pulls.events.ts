import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'
import type { Issue, IssueEntities } from '../../issues/index.ts'
import type { Pull } from './records/pull.store.ts'

const Id = Type.Integer()
const OfPull = { repo_id: Id, issue_id: Id, number: Id, pull_id: Id }

/** Creating, closing, editing and triaging a pull request are events of its issue, which have `is_pull`. */
export const pullEvents = {
  /** Precedes the event of its issue. Contains issue and pull request before the deletion, as JSON. */
  'pull.deleted': Type.Object({
    ...OfPull,
    record: Type.Unsafe<Issue>(Type.Object({})),
    label_ids: Type.Array(Id),
    assignee_ids: Type.Array(Id),
    /** The pull request without its conflicting paths. */
    pull: Type.Unsafe<Pull>(Type.Object({})),
  }),
  /** The base changed; `is_automatic` when the server chose the new one because the former base was deleted. */
  'pull.retargeted': Type.Object({
    ...OfPull,
    old_base: Type.String(),
    new_base: Type.String(),
    is_automatic: Type.Optional(Type.Boolean()),
  }),
  /** The head changed: `refs/pull/{number}/head` moved. */
  'pull.synchronized': Type.Object({
    ...OfPull,
    old_oid: Type.String(),
    new_oid: Type.String(),
    is_force_push: Type.Boolean(),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof pullEvents> {}
  interface EventEntities {
    'pull.synchronized': IssueEntities
  }
}
