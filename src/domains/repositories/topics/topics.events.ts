import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const topicEvents = {
  'repo.topics_changed': Type.Object({ repo_id: Type.Integer(), topics: Type.Array(Type.String()) }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof topicEvents> {}
}
