import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const Hook = {
  /** 0 for a webhook of an account or of the site. */
  repo_id: Id,
  /** 0 for a webhook of a repository or of the site. */
  owner_id: Id,
  hook_id: Id,
  type: Type.String(),
  /** The host of the address; the rest of the address may be secret. */
  host: Type.String(),
  is_active: Type.Boolean(),
}

export const hookEvents = {
  'hook.created': Type.Object(Hook),
  'hook.deleted': Type.Object(Hook),
  'hook.edited': Type.Object(Hook),
  /** `uuid`: the delivery that is sent again. */
  'hook.redelivered': Type.Object({ ...Hook, uuid: Type.String() }),
  /** Dead deliveries were queued again: one, or all if `uuid` is empty. */
  'hook.requeued': Type.Object({ uuid: Type.String(), count: Type.Integer() }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof hookEvents> {}
}
