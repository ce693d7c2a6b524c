export { reviewQueries } from './pulls.queries.ts'
export type { PullView } from './pulls/pull-views.ts'
export { isDraftTitle } from './pulls/pull.policy.ts'
export { presentPull } from './pulls/pull.present.ts'
