import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const statusEvents = {
  'commit.status': Type.Object({
    repo_id: Type.Integer(),
    status_id: Type.Integer(),
    oid: Type.String(),
    context: Type.String(),
    state: Type.String(),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof statusEvents> {}
}
