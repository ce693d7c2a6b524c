import type { Tx } from '../../../core/db/database.ts'
import type { AppendedEvent, Events, Projections } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { issueQueries } from '../../issues/index.ts'
import { isDraftTitle } from './pull.policy.ts'
import {
  detachHeadRepo,
  detachHeadsOfOwner,
  findPullByIssue,
  renameBranchInPulls,
  updatePullOfIssue,
} from './records/pull.store.ts'

interface ProjectionDeps {
  readonly events: Events
  readonly jobs: Jobs
  readonly draftPrefixes: readonly string[]
}

/** Updates the copies of issue and branch data in the rows of pull requests, and detaches them from deleted rows. */
export const pullProjections = ({ events, jobs, draftPrefixes }: ProjectionDeps): Projections => ({
  async 'branch.renamed'(tx, { payload }) {
    await renameBranchInPulls(tx, { repoId: asId(payload.repo_id), from: payload.from, to: payload.to })
  },
  async 'issue.deleting'(tx, event) {
    const { is_pull: isPull, repo_id, number } = event.payload
    if (!isPull) return
    await jobs.enqueue(tx, 'pulls.delete_ref', { repo_id, number })
    await appendDeleted(events, tx, event)
  },
  async 'repo.deleting'(tx, { payload, actorId }) {
    for (const pull of await detachHeadRepo(tx, asId(payload.repo_id)))
      await jobs.enqueue(tx, 'pulls.close', { pull_id: pull.id, actor_id: actorId })
  },
  async 'user.deleting'(tx, { payload, actorId }) {
    for (const pull of await detachHeadsOfOwner(tx, asId(payload.user_id)))
      await jobs.enqueue(tx, 'pulls.close', { pull_id: pull.id, actor_id: actorId })
  },
  async 'issue.closed'(tx, { payload }) {
    if (payload.is_pull) await updatePullOfIssue(tx, asId(payload.issue_id), { is_closed: 1 })
  },
  async 'issue.reopened'(tx, { payload }) {
    if (payload.is_pull) await updatePullOfIssue(tx, asId(payload.issue_id), { is_closed: 0 })
  },
  async 'issue.edited'(tx, { payload, entities: { issue } }) {
    if (!payload.is_pull || payload.old_title === undefined) return
    await updatePullOfIssue(tx, issue.id, { is_draft: isDraftTitle(issue.title, draftPrefixes) ? 1 : 0 })
  },
})

async function appendDeleted(
  events: Events,
  tx: Tx,
  { actor, repoId, at, entities: { issue } }: AppendedEvent<'issue.deleting'>,
): Promise<void> {
  const pull = await findPullByIssue(tx, issue.id)
  if (pull === undefined) return
  const labels = (await issueQueries.listLabels(tx, [issue.id])).get(issue.id) ?? []
  const assigneeIds = (await issueQueries.listAssigneeIds(tx, [issue.id])).get(issue.id) ?? []
  await events.append(
    tx,
    'pull.deleted',
    { actor, repoId, at },
    {
      repo_id: repoId,
      issue_id: issue.id,
      number: issue.number,
      pull_id: pull.id,
      record: issue,
      label_ids: labels.map((label) => label.id),
      assignee_ids: [...assigneeIds],
      pull: { ...pull, check: { ...pull.check, conflicts: [] } },
    },
  )
}
