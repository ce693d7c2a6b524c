import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Source = { source_id: Type.Integer(), kind: Type.String(), name: Type.String() }

const Identity = { source_id: Type.Integer(), user_id: Type.Integer(), login_name: Type.String() }

export const sourceEvents = {
  /** The user can sign in with an identity of the source. */
  'external_identity.linked': Type.Object(Identity),
  'external_identity.unlinked': Type.Object(Identity),
  'sign_in_source.created': Type.Object(Source),
  'sign_in_source.deleted': Type.Object(Source),
  /** `changed`: names of members, without their values. */
  'sign_in_source.edited': Type.Object({ ...Source, changed: Type.Array(Type.String()) }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof sourceEvents> {}
}
