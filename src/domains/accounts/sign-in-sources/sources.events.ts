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
  /** Its accounts were compared with the directory; incomplete when the directory did not give all entries. */
  'sign_in_source.synchronized': Type.Object({
    ...Source,
    complete: Type.Boolean(),
    entries: Type.Integer(),
    created: Type.Integer(),
    updated: Type.Integer(),
    deactivated: Type.Integer(),
    skipped: Type.Integer(),
  }),
  /** `changed`: names of members, without their values. */
  'sign_in_source.edited': Type.Object({ ...Source, changed: Type.Array(Type.String()) }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof sourceEvents> {}
}
