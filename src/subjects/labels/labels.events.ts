import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../events/index.ts'

const Id = Type.Integer()
/** Of a repository or an organization; the other id is 0. */
const LabelNamed = { repo_id: Id, org_id: Id, label_id: Id, name: Type.String() }

export const labelEvents = {
  'label.created': Type.Object(LabelNamed),
  'label.deleted': Type.Object(LabelNamed),
  'label.edited': Type.Object(LabelNamed),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof labelEvents> {}
}
