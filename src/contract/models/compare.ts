import { Type, type Static } from '@sinclair/typebox'
import { Commit } from './commit.ts'

export const Compare = Type.Object({ total_commits: Type.Integer(), commits: Type.Array(Commit) }, { $id: 'Compare' })
export type Compare = Static<typeof Compare>
