import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const Offer = { repo_id: Id, recipient_id: Id }

export const transferEvents = {
  'repo.transfer_rejected': Type.Object(Offer),
  'repo.transfer_started': Type.Object(Offer),
  /** The owner of the repository changed; its old path redirects to the new one. */
  'repo.transferred': Type.Object({ repo_id: Id, name: Type.String(), old_owner_id: Id, owner_id: Id }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof transferEvents> {}
}
