import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const UserName = { user_id: Id, name: Type.String() }
const Block = { blocker_id: Id, user_id: Id }
const UserEmail = { user_id: Id, email: Type.String() }
const Follow = { user_id: Id, followed_id: Id }

export const userEvents = {
  'org.renamed': Type.Object({ org_id: Id, name: Type.String(), old_name: Type.String() }),
  'user.blocked': Type.Object(Block),
  'user.created': Type.Object(UserName),
  /** The user has a new password: the sessions of the old password end. */
  'user.credentials_changed': Type.Object({ user_id: Id }),
  'user.deleted': Type.Object(UserName),
  /**
   * The row of an individual or organization is about to be deleted in this transaction together with its repositories;
   * all their rows are locked. Projections update data that foreign keys do not cover: counters of other accounts,
   * public keys. `purges`: the content of the account in repositories of others is deleted, too.
   */
  'user.deleting': Type.Object({ ...UserName, purges: Type.Optional(Type.Boolean()) }),
  /**
   * An administrator, or the user on the password page, changed these columns. `left_source_id`: the sign-in source to
   * which the account no longer belongs.
   */
  'user.edited': Type.Object({
    user_id: Id,
    changed: Type.Array(Type.String()),
    left_source_id: Type.Optional(Id),
  }),
  'user.email_added': Type.Object(UserEmail),
  'user.email_deleted': Type.Object(UserEmail),
  'user.followed': Type.Object(Follow),
  'user.renamed': Type.Object({ ...UserName, old_name: Type.String() }),
  'user.unblocked': Type.Object(Block),
  'user.unfollowed': Type.Object(Follow),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof userEvents> {}
}
