import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
/** Does not contain the value. One of `repo_id` and `owner_id` is 0. */
const OfVariable = { repo_id: Id, owner_id: Id, name: Type.String() }

export const variableEvents = {
  'variable.created': Type.Object(OfVariable),
  'variable.deleted': Type.Object(OfVariable),
  'variable.edited': Type.Object({ ...OfVariable, old_name: Type.String() }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof variableEvents> {}
}
