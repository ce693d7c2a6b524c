import { Type, type Static } from '@sinclair/typebox'
import { Repository } from './repository.ts'

export const SearchResults = Type.Object({ ok: Type.Boolean(), data: Type.Array(Repository) }, { $id: 'SearchResults' })

export const SearchError = Type.Object({ ok: Type.Boolean(), error: Type.String() }, { $id: 'SearchError' })
export type SearchError = Static<typeof SearchError>
