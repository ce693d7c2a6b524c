export type { Topic } from '../../db/stores/topic.store.ts'
export { createSocial, type Social } from './social.service.ts'
export { createTopics, type Topics } from './topics.ts'
