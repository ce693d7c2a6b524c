import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
/** Does not contain the value. One of `repo_id` and `owner_id` is 0. */
const OfSecret = { repo_id: Id, owner_id: Id, name: Type.String() }

export const secretEvents = {
  'secret.created': Type.Object(OfSecret),
  'secret.deleted': Type.Object(OfSecret),
  'secret.edited': Type.Object(OfSecret),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof secretEvents> {}
}
