import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
/** Either `repo_id` or `org_id` is 0. */
const LabelPayload = { repo_id: Id, org_id: Id, label_id: Id, name: Type.String() }

export const labelEvents = {
  'label.created': Type.Object(LabelPayload),
  'label.deleted': Type.Object(LabelPayload),
  'label.edited': Type.Object(LabelPayload),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof labelEvents> {}
}
