import { Type } from '@sinclair/typebox'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { EventPayload, NewEvent, PayloadsOf } from '../../../../core/events/index.ts'
import type { IssueChange } from '../changes/issue-change.ts'
import { type IssueEntities, issuePayload } from '../issues.events.ts'
import type { Text } from '../issue.policy.ts'

const Id = Type.Integer()
const OfComment = { repo_id: Id, issue_id: Id, number: Id, is_pull: Type.Boolean(), comment_id: Id }

/** The comment after the event, for handlers that run after it is deleted. */
const AsItIs = {
  poster_id: Type.Optional(Id),
  body: Type.Optional(Type.String()),
  created_at: Type.Optional(Type.Number()),
  updated_at: Type.Optional(Type.Number()),
}

export const commentEvents = {
  'comment.created': Type.Object({ ...OfComment, ...AsItIs }),
  /** Contains the data of the deleted row. */
  'comment.deleted': Type.Object({
    ...OfComment,
    poster_id: Id,
    body: Type.String(),
    created_at: Type.Number(),
    updated_at: Type.Optional(Type.Number()),
  }),
  /** Contains the former text, except when a file was added. */
  'comment.edited': Type.Object({ ...OfComment, ...AsItIs, old_body: Type.Optional(Type.String()) }),
}

declare module '../../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof commentEvents> {}
  interface EventEntities extends Record<keyof typeof commentEvents, CommentEntities> {}
}

/** A comment: as it was, once it is deleted. */
interface CommentEntities extends IssueEntities {
  readonly comment: Text
}

type CommentEventKind = keyof typeof commentEvents
type OfComment = keyof typeof OfComment

type CommentChange = Pick<IssueChange, 'tx' | 'events' | 'repo' | 'issue' | 'at'> & { readonly actor: Actor }

/** The data of a comment in its events. */
export const recordOf = ({ actorId, body, createdAt, updatedAt }: Text) => ({
  poster_id: actorId,
  body,
  created_at: createdAt,
  updated_at: updatedAt,
})

/** Appends an event of a comment; `ofKind` contains its members except the ids. */
export async function appendCommentEvent<Kind extends CommentEventKind>(
  { tx, events, repo, issue, actor, at }: CommentChange,
  kind: Kind,
  comment: Text,
  ofKind: Omit<EventPayload<Kind>, OfComment>,
): Promise<void> {
  const entities: CommentEntities = { repo, issue, comment }
  const payload = { ...issuePayload(issue), comment_id: comment.id, ...ofKind }
  await events.appendAll(tx, { actor, repoId: issue.repoId, at }, [{ kind, payload, entities } as unknown as NewEvent])
}
