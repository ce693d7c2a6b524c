import type { Tx } from '../../db/database.ts'
import type { DomainEvent, Projections } from '../../events/index.ts'
import { asId, type RepoId, type UserId } from '../../platform/ids.ts'
import { watchRepoByTeams } from './watches/team-watch.store.ts'

/** The creator of a repository watches it from the start, where the server is configured so. */
export const repoWatchProjections = {
  async 'repo.created'(
    tx: Tx,
    { actorId, repoId, at, payload: { auto_watch: autoWatch, org_id: orgId } }: DomainEvent<'repo.created'>,
  ) {
    if (autoWatch !== true) return
    await watchNewRepo(tx, {
      repoId: asId(repoId),
      creatorId: asId(actorId),
      orgId: orgId === undefined ? undefined : asId(orgId),
      at,
    })
  },
} satisfies Projections

export interface NewRepoWatch {
  readonly repoId: RepoId
  readonly creatorId: UserId
  /** The organization that owns the repository, if one does. */
  readonly orgId: UserId | undefined
  readonly at: number
}

/**
 * The creator of a repository watches it, and so do the members of teams that have all repositories of its organization
 * (behaviour/repositories#access). The new row counts the creator already.
 */
export async function watchNewRepo(tx: Tx, { repoId, creatorId, orgId, at }: NewRepoWatch): Promise<void> {
  await tx.insertInto('watch').values({ repo_id: repoId, user_id: creatorId, mode: 'normal', created_at: at }).execute()
  if (orgId !== undefined) await watchRepoByTeams(tx, { id: repoId, ownerId: orgId }, 'all-repositories', at)
}
