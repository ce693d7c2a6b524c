import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()
const Package = {
  owner_id: Id,
  type: Type.String(),
  name: Type.String(),
  version: Type.String(),
  /** The linked repository; 0 without a link. */
  repo_id: Type.Optional(Id),
  /** The created or deleted versions, newest first: at most the newest 100. */
  versions: Type.Optional(
    Type.Array(
      Type.Object({ id: Id, package_id: Id, version: Type.String(), creator_id: Id, created_at: Type.Integer() }),
    ),
  ),
}

export const packagesEvents = {
  'package.created': Type.Object(Package),
  /** `version` is empty if all versions were deleted. */
  'package.deleted': Type.Object(Package),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof packagesEvents> {}
}
