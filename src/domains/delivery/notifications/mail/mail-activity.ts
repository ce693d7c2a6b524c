import { type Static, Type } from '@sinclair/typebox'

const Id = Type.Integer()

/** What a mail is about: ids, because the texts are read when the mail is sent. */
export const MailActivity = Type.Object({
  kind: Type.Unsafe<
    'created' | 'comment' | 'closed' | 'ready' | 'reopened' | 'assigned' | 'mentioned' | 'review-requested'
  >(Type.String()),
  issue_id: Id,
  actor_id: Id,
  /** Of the comment; 0 for none. */
  comment_id: Id,
  at: Id,
})
export type MailActivity = Static<typeof MailActivity>

/** Whether it goes to single users, whatever they follow. */
export const concernsUsers = ({ kind }: MailActivity): boolean =>
  kind === 'assigned' || kind === 'mentioned' || kind === 'review-requested'
