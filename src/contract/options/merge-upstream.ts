import { Type } from '@sinclair/typebox'

export const MergeUpstreamRequest = Type.Object(
  { branch: Type.Optional(Type.String()), ff_only: Type.Optional(Type.Boolean({ description: 'Refuse a merge commit' })) },
  { $id: 'MergeUpstreamRequest' },
)
export const MergeUpstreamResponse = Type.Object({ merge_type: Type.String({ description: 'up-to-date, fast-forward or merge' }) }, { $id: 'MergeUpstreamResponse' })
