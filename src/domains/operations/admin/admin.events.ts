import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const UserBadges = { user_id: Id, slugs: Type.Array(Type.String()) }
const OnDisk = { owner_id: Id, name: Type.String() }

export const adminEvents = {
  'admin.badge_created': Type.Object({ slug: Type.String() }),
  'admin.badge_deleted': Type.Object({ slug: Type.String() }),
  'admin.badges_given': Type.Object(UserBadges),
  'admin.badges_taken': Type.Object(UserBadges),
  /** Stored secrets are encrypted only with the key of this id. */
  'admin.key_rotated': Type.Object({ key_id: Type.String() }),
  /** A repository in the directory for adoption has got a row. */
  'admin.repo_adopted': Type.Object({ ...OnDisk, repo_id: Id }),
  'admin.task_run': Type.Object({ task: Type.String() }),
  /** The files in the directory for adoption are about to be deleted. */
  'admin.unadopted_deleted': Type.Object(OnDisk),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof adminEvents> {}
}
