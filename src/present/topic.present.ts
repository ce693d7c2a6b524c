import type { TopicResponse } from '../contract/models/topic.ts'
import type { Topic } from '../domain/social/index.ts'
import { wireTime } from '../platform/clock.ts'

export function presentTopic(topic: Topic): TopicResponse {
  return { id: topic.id, topic_name: topic.name, repo_count: topic.repoCount, created: wireTime(topic.createdAt), updated: wireTime(topic.updatedAt) }
}
