export { wikiMode } from './wiki-access.policy.ts'
export type { Wikis } from './wikis.service.ts'
