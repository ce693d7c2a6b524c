import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const importEvents = {
  /** A step of an asynchronous import was written, or it ended; at most two a second of one import. */
  'import.progressed': Type.Object({ import_id: Type.Integer() }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof importEvents> {}
}
