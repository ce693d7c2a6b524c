import { type CommentGuard } from './comments/comment.guards.ts'
import { createDiscussion } from './discussion.ts'
import { createIssueGuard, type IssueGuard } from './issue.guards.ts'
import { createHook } from '../../../core/platform/hook.ts'
import { defineModule } from '../../../core/module.ts'
import type { IssueNotices, StateRules, TimeBookings } from './changes/issue-change.ts'
import { assignmentProjections, issueProjections } from './issue.projection.ts'
import { issueEvents } from './issues.events.ts'
import { assigneeOperations } from './assignees.operations.ts'
import { issueOperations } from './issues.operations.ts'
import { createIssues, type Issues } from './issues.service.ts'
import { listOperations } from './lists/lists.operations.ts'
import { createIssueLists, type IssueLists } from './lists/lists.service.ts'
import { triageOperations } from './triage.ts'
import { createTextIndexer } from './texts/index-texts.ts'
import type { Timeline } from './timeline/timeline.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly issues: Issues
    readonly issueLists: IssueLists
    readonly issueNotices: IssueNotices
    readonly issueStateRules: StateRules
    readonly issueTimeBookings: TimeBookings
    readonly timeline: Timeline
  }
  interface Guards {
    readonly comment: CommentGuard
    readonly issue: IssueGuard
  }
}

/** Issues, and the parts that pull requests share with them. */
export const module = defineModule({
  name: 'issues',
  needs: ['attachments', 'uploadRules'],
  create(core, { attachments, uploadRules }, guards) {
    const { database, clock, events, site } = core
    const stateRules: StateRules = createHook()
    const issues = createIssues({ database, clock, events, attachments, stateRules })
    const issueLists = createIssueLists(database)
    const issue = createIssueGuard(database, guards.repo)
    const discussion = createDiscussion(core, {
      attachments,
      rules: uploadRules.issues,
      guards: { issue, repo: guards.repo },
    })
    return {
      services: {
        issues,
        issueLists,
        issueNotices: createHook(),
        issueStateRules: stateRules,
        issueTimeBookings: createHook(),
        timeline: discussion.timeline,
      },
      guards: { issue, comment: discussion.guard },
      operations: [
        ...listOperations({ guards, lists: issueLists, site }),
        ...assigneeOperations({ guards: { issue, repo: guards.repo }, issues, site }),
        ...issueOperations({ guards: { issue, repo: guards.repo }, issues, site }),
        ...discussion.operations,
        ...triageOperations(core, { issues, stateRules, guards: { issue, repo: guards.repo } }),
      ],
      events: { ...issueEvents, ...discussion.events },
      projections: { ...issueProjections, ...assignmentProjections, ...discussion.projections },
      subscriptions: discussion.subscriptions,
      jobs: discussion.jobs,
      workers: database.dialect.name === 'sqlite' ? [createTextIndexer(core)] : [],
    }
  },
})
