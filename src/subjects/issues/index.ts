export { issueUrls } from './issue.present.ts'
export type { Issues } from './issues.service.ts'
export type { Issue } from './records/issue.store.ts'
export type { IssueInView } from './views.ts'
