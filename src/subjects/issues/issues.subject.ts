import { createIssueGuard, type IssueGuard } from './issue.guards.ts'
import { defineSubject } from '../subject.ts'
import { issueLabelOperations } from './labels/issue-labels.operations.ts'
import { createIssueLabels } from './labels/issue-labels.service.ts'
import { createStateRules, type StateRules } from './changes/state-rules.ts'
import { issueProjections } from './issue.projection.ts'
import { issueEvents } from './issues.events.ts'
import { issueOperations } from './issues.operations.ts'
import { createIssues, type Issues } from './issues.service.ts'

declare module '../subject.ts' {
  interface Services {
    readonly issues: Issues
    readonly issueStateRules: StateRules
  }
  interface Guards {
    readonly issue: IssueGuard
  }
}

/** Issues, and what pull requests share with them. */
export const subject = defineSubject({
  name: 'issues',
  needs: ['attachments'],
  create({ database, clock, events, site }, { attachments }, guards) {
    const stateRules = createStateRules()
    const issues = createIssues({ database, clock, events, attachments, stateRules })
    const issue = createIssueGuard(database, guards.repo)
    return {
      services: { issues, issueStateRules: stateRules },
      guards: { issue },
      operations: [
        ...issueOperations({ guards: { issue, repo: guards.repo }, issues, site }),
        ...issueLabelOperations({
          guards: { issue },
          issueLabels: createIssueLabels({ database, clock, events }),
          site,
        }),
      ],
      events: issueEvents,
      projections: issueProjections,
    }
  },
})
