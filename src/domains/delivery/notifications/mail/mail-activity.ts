import { type Static, Type } from '@sinclair/typebox'

const Id = Type.Integer()

/** The activity of a mail: contains ids, because the texts are read when the mail is sent. */
export const MailActivity = Type.Object({
  kind: Type.Unsafe<
    'created' | 'comment' | 'closed' | 'ready' | 'reopened' | 'assigned' | 'mentioned' | 'review-requested'
  >(Type.String()),
  issue_id: Id,
  actor_id: Id,
  /** The id of the comment; 0 if there is none. */
  comment_id: Id,
  at: Id,
})
export type MailActivity = Static<typeof MailActivity>

/** Whether the mail is for individual users, whether or not they follow the issue. */
export const concernsUsers = ({ kind }: MailActivity): boolean =>
  kind === 'assigned' || kind === 'mentioned' || kind === 'review-requested'
