import type { Db, Tx } from '../../../../core/db/database.ts'
import { AccessMode, unitMode } from '../../../../core/access/repo-access.ts'
import { viewerOfAccount } from '../../../../core/access/viewer.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../../accounts/index.ts'
import { accessQueries, type Repo } from '../../../repositories/index.ts'

/** Deletes the requests for reviews of users who cannot read the pull requests of the repository; returns their names. */
export async function dropImportedRequests(tx: Tx, repo: Repo): Promise<string[]> {
  const dropped: string[] = []
  const requests = await listRequests(tx, repo.id)
  for (const user of await userQueries.listByIds(tx, [...requests.keys()])) {
    const access = await accessQueries.load(tx, viewerOfAccount(user), repo)
    if (unitMode(access, 'repo.pulls') >= AccessMode.read) continue
    await deleteReviews(tx, requests.get(user.id)!)
    dropped.push(user.name)
  }
  return dropped
}

/** The ids of the requests in a repository by reviewer. */
async function listRequests(db: Db, repoId: RepoId): Promise<ReadonlyMap<UserId, readonly number[]>> {
  const rows = await db
    .selectFrom('review')
    .innerJoin('issue', 'issue.id', 'review.issue_id')
    .select(['review.id', 'review.reviewer_id'])
    .where('issue.repo_id', '=', repoId)
    .where('review.kind', '=', 'request')
    .execute()
  const byReviewer = Map.groupBy(rows, ({ reviewer_id }) => asId<UserId>(reviewer_id))
  return new Map([...byReviewer].map(([reviewer, own]) => [reviewer, own.map(({ id }) => id)]))
}

const CHUNK = 500

async function deleteReviews(tx: Tx, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += CHUNK)
    await tx
      .deleteFrom('review')
      .where('id', 'in', ids.slice(at, at + CHUNK))
      .execute()
}
