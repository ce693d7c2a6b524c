import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../events/index.ts'

export const packagesEvents = {
  /** `version` is empty where all of them were deleted. */
  'package.deleted': Type.Object({
    owner_id: Type.Integer(),
    type: Type.String(),
    name: Type.String(),
    version: Type.String(),
  }),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof packagesEvents> {}
}
