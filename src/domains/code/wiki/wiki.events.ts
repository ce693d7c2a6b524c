import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const InRepo = { repo_id: Type.Integer() }
/** `page` is the `sub_url`, `comment` the commit message. */
const OfPage = { ...InRepo, page: Type.String(), comment: Type.String() }

export const wikiEvents = {
  'wiki.created': Type.Object(OfPage),
  'wiki.deleted': Type.Object(OfPage),
  'wiki.edited': Type.Object(OfPage),
  /** A push to the wiki, which may change any number of pages. */
  'wiki.pushed': Type.Object(InRepo),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof wikiEvents> {}
}
