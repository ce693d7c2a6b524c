import { defineSubject } from '../subject.ts'
import { issueActivityProjections } from './issue-activity.projection.ts'

/** Entries of activity feeds for what is done to issues and pull requests. */
export const subject = defineSubject({
  name: 'issue-activities',
  needs: [],
  create: () => ({ projections: issueActivityProjections }),
})
