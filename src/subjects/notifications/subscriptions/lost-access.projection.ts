import type { Projections } from '../../../events/index.ts'
import { asId } from '../../../platform/crypto/ids.ts'
import { leavingProjections } from '../../orgs/index.ts'
import { findRepoById, hiddenFrom } from '../../repos/index.ts'
import { listUsersByIds } from '../../users/index.ts'
import { deleteIssueWatches, listReposOfIssueWatches, listTeamIssueWatchers } from './issue-watch.store.ts'

/** Whoever may no longer see a repository is no longer subscribed to its issues (behaviour/repositories#collaborators). */
export const lostAccessProjections: Projections = {
  async 'repo.collaborator_removed'(tx, { payload }) {
    if (!payload.has_access) await deleteIssueWatches(tx, asId(payload.user_id), [asId(payload.repo_id)])
  },
  async 'team.repo_removed'(tx, { payload }) {
    const repo = await findRepoById(tx, asId(payload.repo_id))
    if (repo === undefined) return
    const userIds = await listTeamIssueWatchers(tx, asId(payload.team_id), repo.id)
    for (const user of await listUsersByIds(tx, userIds))
      await deleteIssueWatches(tx, user.id, await hiddenFrom(tx, user, [repo]))
  },
  ...leavingProjections(async (tx, orgId, user) => {
    const repos = await listReposOfIssueWatches(tx, user.id, orgId)
    await deleteIssueWatches(tx, user.id, await hiddenFrom(tx, user, repos))
  }),
}
