import { Type } from '@sinclair/typebox'

export const RepoTopicOptions = Type.Object({ topics: Type.Optional(Type.Array(Type.String())) }, { $id: 'RepoTopicOptions' })
