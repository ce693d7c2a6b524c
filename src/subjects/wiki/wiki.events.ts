import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../events/index.ts'

const InRepo = { repo_id: Type.Integer() }
/** `page` is its name in addresses, `comment` the commit's message. */
const OfPage = { ...InRepo, page: Type.String(), comment: Type.String() }

export const wikiEvents = {
  'wiki.created': Type.Object(OfPage),
  'wiki.deleted': Type.Object(OfPage),
  'wiki.edited': Type.Object(OfPage),
  /** Pages changed by git, any number of them. */
  'wiki.pushed': Type.Object(InRepo),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof wikiEvents> {}
}
