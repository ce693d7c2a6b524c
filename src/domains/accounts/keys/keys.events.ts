import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const SshKey = { user_id: Id, key_id: Id, fingerprint: Type.String() }
/** `key_id` is the OpenPGP key id: 16 hex digits. */
const GpgKey = { user_id: Id, key_id: Type.String() }

export const keyEvents = {
  'user.gpg_key_added': Type.Object(GpgKey),
  'user.gpg_key_deleted': Type.Object(GpgKey),
  'user.key_added': Type.Object(SshKey),
  'user.key_deleted': Type.Object(SshKey),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof keyEvents> {}
}
