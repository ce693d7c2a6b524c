import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Upstream = { owner_id: Type.Integer(), type: Type.String(), url: Type.String() }

export const upstreamEvents = {
  'package_upstream.saved': Type.Object({ ...Upstream, allow: Type.Array(Type.String()), offline: Type.Boolean() }),
  'package_upstream.deleted': Type.Object(Upstream),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof upstreamEvents> {}
}
