import type { Tx } from '../../../core/db/database.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId, type UserId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { lostAccessProjections } from '../../repositories/index.ts'
import { deleteAssignments, listAssignedRepos, listTeamAssignees } from './records/issue-assignee.store.ts'
import { insertFormerText, type TextOwner } from './history/former-text.store.ts'
import { subtractOrgLabels } from '../labels/label.store.ts'
import { deleteOrgLabels } from './records/records.store.ts'
import { clearMilestone } from './records/issue.store.ts'
import { deleteEntriesOfLabel } from './timeline/timeline-entry.store.ts'

/**
 * A block deletes the assignments of either account in repositories of the other (behaviour/users-and-admin#blocking);
 * users who can no longer see a repository are no longer assigned there.
 */
export const assignmentProjections: Projections = {
  async 'user.blocked'(tx, { payload }) {
    const [blocker, user] = [asId<UserId>(payload.blocker_id), asId<UserId>(payload.user_id)]
    await deleteAssignmentsOn(tx, user, blocker)
    await deleteAssignmentsOn(tx, blocker, user)
  },
  ...lostAccessProjections({
    listRepos: listAssignedRepos,
    listTeamUsers: listTeamAssignees,
    deleteRecords: deleteAssignments,
  }),
}

async function deleteAssignmentsOn(tx: Tx, userId: UserId, ownerId: UserId): Promise<void> {
  const repos = await listAssignedRepos(tx, userId, ownerId)
  await deleteAssignments(
    tx,
    userId,
    repos.map((repo) => repo.id),
  )
}

/** Stores the former text of an edit (behaviour/issues#comments). */
export const formerTextProjections: Projections = {
  'issue.edited': (tx, { payload, actorId, at }) =>
    recordFormerText(
      tx,
      { issueId: asId(payload.issue_id), commentId: undefined },
      { body: payload.old_body, actorId, at },
    ),
  'comment.edited': (tx, { payload, actorId, at }) =>
    recordFormerText(
      tx,
      { issueId: asId(payload.issue_id), commentId: payload.comment_id },
      { body: payload.old_body, actorId, at },
    ),
}

interface Edit {
  /** Undefined if the edit did not change the text. */
  readonly body: string | undefined
  readonly actorId: number
  readonly at: number
}

async function recordFormerText(tx: Tx, owner: TextOwner, { body, actorId, at }: Edit): Promise<void> {
  if (body !== undefined) await insertFormerText(tx, owner, { body, editor_id: actorId, replaced_at: at })
}

/** Deletes and detaches references to deleted rows of earlier modules. */
export const issueProjections: Projections = {
  async 'label.deleted'(tx, { payload }) {
    await deleteEntriesOfLabel(tx, payload.label_id)
  },
  async 'repo.deleting'(tx, { repoId }) {
    await subtractOrgLabels(tx, { repoId: asId(repoId) })
  },
  async 'repo.transferred'(tx, { payload }) {
    const [repoId, orgId] = [asId<RepoId>(payload.repo_id), asId<UserId>(payload.old_owner_id)]
    await subtractOrgLabels(tx, { repoId, orgId })
    await deleteOrgLabels(tx, repoId, orgId)
  },
  async 'milestone.deleting'(tx, { payload }) {
    await clearMilestone(tx, asId(payload.milestone_id))
  },
}
