import { Type } from '@sinclair/typebox'
import { CredentialRestriction } from '../../../core/access/authorize.ts'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const pushEvents = {
  'repo.pushed': Type.Object({
    repo_id: Type.Integer(),
    /** True if a sync of a pull mirror updated the refs. */
    is_mirror_sync: Type.Optional(Type.Boolean()),
    /** The restriction of the credentials that pushed; actions in response to the push have it too. */
    restriction: Type.Optional(CredentialRestriction),
    /** Refs in the order of the push; an all-zero oid means "none". */
    updates: Type.Array(Type.Object({ ref: Type.String(), old_oid: Type.String(), new_oid: Type.String() })),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof pushEvents> {}
}
