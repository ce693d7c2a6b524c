/** Wikis: pages over the API, and the git repository that they lie in. */
export { createWikis, type Wikis } from './wikis.service.ts'
export type { WikiCommits, WikiPageMeta, WikiPageView } from './pages.ts'
export type { PageEdit } from './write-page.ts'
