import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/crypto/ids.ts'
import { findIssueById } from '../issues/index.ts'
import { isDraftTitle } from './pull.policy.ts'
import { updatePullOfIssue } from './records/pull.store.ts'

/** Keeps what the rows of pull requests copy from their issues. */
export const pullProjections = (draftPrefixes: readonly string[]): Projections => ({
  async 'issue.closed'(tx, { payload }) {
    if (payload.is_pull) await updatePullOfIssue(tx, asId(payload.issue_id), { is_closed: 1 })
  },
  async 'issue.reopened'(tx, { payload }) {
    if (payload.is_pull) await updatePullOfIssue(tx, asId(payload.issue_id), { is_closed: 0 })
  },
  async 'issue.edited'(tx, { payload }) {
    if (!payload.is_pull || payload.old_title === undefined) return
    const issue = await findIssueById(tx, asId(payload.issue_id))
    if (issue === undefined) return
    await updatePullOfIssue(tx, issue.id, { is_draft: isDraftTitle(issue.title, draftPrefixes) ? 1 : 0 })
  },
})
