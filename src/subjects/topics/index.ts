export { recountTopics, topicCounters } from './topic-counters.store.ts'
export { replaceTopics } from './topic.store.ts'
export { isTopic, MAX_TOPICS, normaliseTopics } from './topics.policy.ts'
