import { notFound } from '../../../../core/platform/errors.ts'
import type { Db } from '../../../../core/db/database.ts'
import { asId, type IssueId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { AttachmentOwnerAccess, RepoInView } from '../../../repositories/index.ts'
import { isHiddenFrom } from '../comments/comment.policy.ts'
import { canReadIssue } from '../issue.policy.ts'
import { findIssueById } from '../records/issue.store.ts'
import { findEntry } from '../timeline/timeline-entry.store.ts'

/** Issues as owners of files: a file is visible to readers of its issue. */
export const issueAssetOwner = (read: Db): AttachmentOwnerAccess => ({
  requireVisible: (_viewer, target, issueId) => requireReadable(read, target, asId(issueId)),
  async requireExisting(tx, repoId, issueId) {
    await requireIssue(tx, repoId, asId(issueId))
  },
})

/**
 * Comments as owners of files: a file is visible to readers of the issue of its comment, before the review of the
 * comment is submitted to the reviewer alone.
 */
export const commentAssetOwner = (read: Db): AttachmentOwnerAccess => ({
  async requireVisible(viewer, target, commentId) {
    const comment = await findEntry(read, commentId)
    if (comment === undefined || isHiddenFrom(viewer, comment)) throw notFound('comment does not exist')
    await requireReadable(read, target, comment.issueId)
  },
  async requireExisting(tx, repoId, commentId) {
    if ((await findEntry(tx, commentId))?.repoId !== repoId) throw notFound('comment does not exist')
  },
})

async function requireReadable(db: Db, { repo, access }: RepoInView, issueId: IssueId): Promise<void> {
  const issue = await requireIssue(db, repo.id, issueId)
  if (!canReadIssue(access, issue)) throw notFound('issue does not exist')
}

async function requireIssue(db: Db, repoId: RepoId, issueId: IssueId) {
  const issue = await findIssueById(db, issueId)
  if (issue?.repoId !== repoId) throw notFound('issue does not exist')
  return issue
}
