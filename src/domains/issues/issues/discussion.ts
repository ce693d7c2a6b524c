import type { EventSchemas, Projections, Subscriptions } from '../../../core/events/index.ts'
import type { Operation } from '../../../core/http/operation.ts'
import type { JobDefinitions } from '../../../core/jobs/index.ts'
import type { UploadRules, AttachmentOwnerAccess, RepoInView } from '../../repositories/index.ts'
import type { Core, Guards, Services } from '../../../core/module.ts'
import { assetOperations } from './assets/assets.operations.ts'
import { createIssueAssets } from './assets/assets.service.ts'
import { type CommentGuard, createCommentGuard } from './comments/comment.guards.ts'
import { commentEvents } from './comments/comments.events.ts'
import { commentJobs, commentSubscriptions } from './comments/comments.jobs.ts'
import { commentOperations } from './comments/comments.operations.ts'
import { createComments } from './comments/comments.service.ts'
import { formerTextProjections } from './issue.projection.ts'
import { historyOperations } from './history/history.operations.ts'
import { createTextHistory } from './history/history.service.ts'
import { lockOperations } from './locks/locks.operations.ts'
import { createIssueLocks } from './locks/locks.service.ts'
import { timelineOperations } from './timeline/timeline.operations.ts'
import { createTimeline, type Timeline } from './timeline/timeline.service.ts'
import { errors } from '../../errors.ts'
import type { Db } from '../../../core/db/database.ts'
import { asId, type IssueId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { isHiddenFrom, canReadIssue } from './issue.policy.ts'
import { findIssueById } from './records/issue.store.ts'
import { findEntry } from './timeline/timeline-entry.store.ts'

/** Issues as owners of files: the readers of an issue may read its files. */
const issueAssetOwner = (read: Db): AttachmentOwnerAccess => ({
  requireVisible: (_viewer, target, issueId) => requireReadable(read, target, asId(issueId)),
  async requireExisting(tx, repoId, issueId) {
    await requireIssue(tx, repoId, asId(issueId))
  },
})

/**
 * Comments as owners of files: the readers of the issue may read the files of a comment, but only the reviewer before
 * its review is submitted.
 */
const commentAssetOwner = (read: Db): AttachmentOwnerAccess => ({
  async requireVisible(viewer, target, commentId) {
    const comment = await findEntry(read, commentId)
    if (comment === undefined || isHiddenFrom(viewer, comment)) throw errors.commentNotFound()
    await requireReadable(read, target, comment.issueId)
  },
  async requireExisting(tx, repoId, commentId) {
    if ((await findEntry(tx, commentId))?.repoId !== repoId) throw errors.commentNotFound()
  },
})

async function requireReadable(db: Db, { repo, access }: RepoInView, issueId: IssueId): Promise<void> {
  const issue = await requireIssue(db, repo.id, issueId)
  if (!canReadIssue(access, issue)) throw errors.issueNotFound()
}

async function requireIssue(db: Db, repoId: RepoId, issueId: IssueId) {
  const issue = await findIssueById(db, issueId)
  if (issue?.repoId !== repoId) throw errors.issueNotFound()
  return issue
}

interface DiscussionDeps {
  readonly attachments: Services['attachments']
  readonly rules: UploadRules
  readonly guards: Pick<Guards, 'issue' | 'repo'>
}

interface Discussion {
  readonly timeline: Timeline
  readonly guard: CommentGuard
  readonly operations: readonly Operation[]
  readonly events: EventSchemas
  readonly projections: Projections
  readonly subscriptions: Subscriptions
  readonly jobs: JobDefinitions
}

/** The discussion of issues: comments, their history, files, locks, and the timeline. */
export function createDiscussion(
  { database, clock, events, jobs, site }: Core,
  { attachments, rules, guards }: DiscussionDeps,
): Discussion {
  attachments.owners.issue.register(issueAssetOwner(database.read))
  attachments.owners.comment.register(commentAssetOwner(database.read))
  const guard = createCommentGuard(database, guards.repo)
  const timeline = createTimeline(database)
  const deps = { database, clock, events, attachments, rules }
  const comments = createComments(deps)
  const common = { guards: { ...guards, comment: guard }, site }
  return {
    timeline,
    guard,
    operations: [
      ...commentOperations({ ...common, comments }),
      ...historyOperations({ ...common, history: createTextHistory(database) }),
      ...timelineOperations({ ...common, timeline }),
      ...lockOperations({ ...common, locks: createIssueLocks(deps) }),
      ...assetOperations({ ...common, attachments, rules, assets: createIssueAssets(deps) }),
    ],
    events: commentEvents,
    projections: formerTextProjections,
    subscriptions: commentSubscriptions(jobs),
    jobs: commentJobs(comments),
  }
}
