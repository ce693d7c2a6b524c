import { Type } from '@sinclair/typebox'
import type { EventPayload, PayloadsOf } from '../../../core/events/index.ts'
import type { Repo } from '../../repositories/index.ts'
import type { Issue } from './records/issue.store.ts'

const Id = Type.Integer()
const OfIssue = { repo_id: Id, issue_id: Id, number: Id, is_pull: Type.Boolean() }

export const issueEvents = {
  'issue.assigned': Type.Object({ ...OfIssue, user_id: Id }),
  'issue.closed': Type.Object({
    ...OfIssue,
    commit_oid: Type.Optional(Type.String()),
    /** Set for a merged pull request: merged directly, or by its schedule. */
    merge: Type.Optional(Type.Union([Type.Literal('merged'), Type.Literal('auto-merged')])),
  }),
  'issue.created': Type.Object({ ...OfIssue, title: Type.String() }),
  'issue.deleted': Type.Object({
    ...OfIssue,
    title: Type.String(),
    poster_id: Id,
    /** The issue before the deletion, as JSON: undefined members are absent. */
    record: Type.Optional(Type.Unsafe<Issue>(Type.Object({}))),
    label_ids: Type.Optional(Type.Array(Id)),
    assignee_ids: Type.Optional(Type.Array(Id)),
  }),
  /**
   * The row, which is locked, is about to be deleted in this transaction. Projections delete data that no foreign key
   * covers.
   */
  'issue.deleting': Type.Object(OfIssue),
  /** Contains the former title or body if it changed. */
  'issue.edited': Type.Object({
    ...OfIssue,
    old_title: Type.Optional(Type.String()),
    old_body: Type.Optional(Type.String()),
  }),
  'issue.labels_changed': Type.Object({
    ...OfIssue,
    is_cleared: Type.Boolean(),
    added_ids: Type.Optional(Type.Array(Id)),
    removed_ids: Type.Optional(Type.Array(Id)),
  }),
  /** 0 for none. */
  'issue.milestone_changed': Type.Object({ ...OfIssue, old_id: Id, new_id: Id }),
  'issue.reopened': Type.Object({ ...OfIssue, commit_oid: Type.Optional(Type.String()) }),
  /** The ids are of the new repository and number. */
  'issue.transferred': Type.Object({ ...OfIssue, old_repo_id: Id, old_number: Id }),
  'issue.unassigned': Type.Object({ ...OfIssue, user_id: Id }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof issueEvents> {}
  interface EventEntities extends Record<keyof typeof issueEvents, IssueEntities> {}
}

/** An issue or pull request, and its repository as the request has read it. */
export interface IssueEntities {
  readonly repo: Repo
  readonly issue: Issue
}

export const issuePayload = ({ id, repoId, number, isPull }: Issue): EventPayload<'issue.deleting'> => ({
  repo_id: repoId,
  issue_id: id,
  number,
  is_pull: isPull,
})
