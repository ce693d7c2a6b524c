import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const InRepo = { repo_id: Type.Integer() }

export const socialEvents = {
  'repo.starred': Type.Object(InRepo),
  'repo.unstarred': Type.Object(InRepo),
  'repo.unwatched': Type.Object(InRepo),
  'repo.watched': Type.Object(InRepo),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof socialEvents> {}
}
