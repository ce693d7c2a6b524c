import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'

/** The topics of one repository. */
export const TopicName = Type.Object({ topics: Type.Array(Type.String()) }, { $id: 'TopicName' })
export type TopicName = Static<typeof TopicName>

export const TopicResponse = Type.Object(
  {
    id: Type.Integer(),
    topic_name: Type.String(),
    repo_count: Type.Integer(),
    created: Type.String({ format: 'date-time' }),
    updated: Type.String({ format: 'date-time' }),
  },
  { $id: 'TopicResponse' },
)
export type TopicResponse = Static<typeof TopicResponse>

export const TopicListResponse = Type.Object({ topics: Type.Array(TopicResponse) }, { $id: 'TopicListResponse' })

export const RepoTopicOptions = Type.Object(
  { topics: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })) },
  { $id: 'RepoTopicOptions' },
)
