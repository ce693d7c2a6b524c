import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const Package = {
  owner_id: Id,
  type: Type.String(),
  name: Type.String(),
  version: Type.String(),
  /** The repository that it is linked to; 0 for none. */
  repo_id: Type.Optional(Id),
  /** What was created or deleted, the newest first: at most the newest 100. */
  versions: Type.Optional(
    Type.Array(
      Type.Object({ id: Id, package_id: Id, version: Type.String(), creator_id: Id, created_at: Type.Integer() }),
    ),
  ),
}

export const packagesEvents = {
  'package.created': Type.Object(Package),
  /** `version` is empty where all of them were deleted. */
  'package.deleted': Type.Object(Package),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof packagesEvents> {}
}
