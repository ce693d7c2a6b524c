import { Type } from '@sinclair/typebox'
import { CredentialRestriction } from '../../../core/access/admit.ts'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const pushEvents = {
  'repo.pushed': Type.Object({
    repo_id: Type.Integer(),
    /** True when a sync of a pull mirror moved the refs. */
    is_mirror_sync: Type.Optional(Type.Boolean()),
    /** Of the credentials that pushed: what follows from the push has no more rights. */
    restriction: Type.Optional(CredentialRestriction),
    /** Refs in the order of the push; an all-zero oid stands for "none". */
    updates: Type.Array(Type.Object({ ref: Type.String(), old_oid: Type.String(), new_oid: Type.String() })),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof pushEvents> {}
}
