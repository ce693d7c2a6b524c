import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const refEvents = {
  /** Appended in the transaction that records the update of the ref. */
  'branch.renamed': Type.Object({ repo_id: Type.Integer(), from: Type.String(), to: Type.String() }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof refEvents> {}
}
