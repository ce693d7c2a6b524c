import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../events/index.ts'

export const topicEvents = {
  'repo.topics_changed': Type.Object({ repo_id: Type.Integer(), topics: Type.Array(Type.String()) }),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof topicEvents> {}
}
