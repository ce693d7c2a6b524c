import { Type } from '@sinclair/typebox'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { EventPayload, PayloadsOf } from '../../../../core/events/index.ts'
import type { IssueChange } from '../changes/issue-change.ts'
import { issuePayload } from '../issues.events.ts'
import type { Text } from '../issue.policy.ts'

const Id = Type.Integer()
const OfComment = { repo_id: Id, issue_id: Id, number: Id, is_pull: Type.Boolean(), comment_id: Id }

/** The comment as it is after the event, for what is built once it is gone. */
const AsItIs = {
  poster_id: Type.Optional(Id),
  body: Type.Optional(Type.String()),
  created_at: Type.Optional(Type.Number()),
  updated_at: Type.Optional(Type.Number()),
}

export const commentEvents = {
  'comment.created': Type.Object({ ...OfComment, ...AsItIs }),
  /** Has what is gone with the row. */
  'comment.deleted': Type.Object({
    ...OfComment,
    poster_id: Id,
    body: Type.String(),
    created_at: Type.Number(),
    updated_at: Type.Optional(Type.Number()),
  }),
  /** Has the former text, unless it is a file that was added. */
  'comment.edited': Type.Object({ ...OfComment, ...AsItIs, old_body: Type.Optional(Type.String()) }),
}

declare module '../../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof commentEvents> {}
}

type CommentEventKind = keyof typeof commentEvents
type OfComment = keyof typeof OfComment

type CommentChange = Pick<IssueChange, 'tx' | 'events' | 'issue' | 'at'> & { readonly actor: Actor }

/** What an event keeps of a comment. */
export const recordOf = ({ actorId, body, createdAt, updatedAt }: Text) => ({
  poster_id: actorId,
  body,
  created_at: createdAt,
  updated_at: updatedAt,
})

/** Appends an event of a comment; `payload` is what it has beside the ids. */
export async function appendCommentEvent<Kind extends CommentEventKind>(
  { tx, events, issue, actor, at }: CommentChange,
  kind: Kind,
  comment: Pick<Text, 'id'>,
  payload: Omit<EventPayload<Kind>, OfComment>,
): Promise<void> {
  const whole = { ...issuePayload(issue), comment_id: comment.id, ...payload } as unknown as EventPayload<Kind>
  await events.append(tx, kind, { actor, repoId: issue.repoId, at }, whole)
}
