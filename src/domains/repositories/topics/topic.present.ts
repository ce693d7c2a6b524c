import { wireTime } from '../../../core/platform/clock.ts'
import type { TopicResponse } from './topic.model.ts'
import type { Topic } from './topic.store.ts'

export function presentTopic(topic: Topic): TopicResponse {
  return {
    id: topic.id,
    topic_name: topic.name,
    repo_count: topic.repoCount,
    created: wireTime(topic.createdAt),
    updated: wireTime(topic.updatedAt),
  }
}
