import type { Core } from '../../../core/module.ts'
import { isSelf, type SignedIn, type Viewer } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type Repo, findRepoById } from '../repos/repo.store.ts'
import { type User, userQueries, blockQueries } from '../../accounts/index.ts'
import { deleteStar, insertStar, isStarred, listStargazers, listStarredRepos } from './social.store.ts'
import { deleteWatch, findWatchMode, listWatchedRepos, listWatchers, putWatch } from './watches/watches.store.ts'

export interface SocialDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  /** Whether users watch the repositories that they push to. */
  readonly watchOnPush: boolean
}

export type Social = ReturnType<typeof createSocial>

/**
 * Watches and stars of repositories (behaviour/base-interface#endpoints-of-the-base-interface,
 * behaviour/repositories#watching-and-starring). All methods are idempotent. `watch` and `star` throw Forbidden for
 * users whom the owner blocks.
 */
export function createSocial({ database, clock, events, watchOnPush }: SocialDeps) {
  const { read } = database
  const listOptions = (viewer: Viewer, user: User, paging: Paging) => ({ publicOnly: !isSelf(viewer, user.id), paging })
  const origin = (actor: SignedIn, repo: Repo, at: number) => ({ actor, repoId: repo.id, at })
  return {
    async isWatching(viewer: SignedIn, repo: Repo): Promise<boolean> {
      const mode = await findWatchMode(read, viewer.account.id, repo.id)
      return mode === 'normal' || mode === 'auto'
    },
    watch: (actor: SignedIn, repo: Repo): Promise<void> =>
      database.transaction(async (tx) => {
        await blockQueries.requireUnblocked(tx, actor.account.id, [repo.ownerId])
        const at = clock.now()
        const before = await findWatchMode(tx, actor.account.id, repo.id)
        await putWatch(tx, actor.account.id, repo.id, { mode: 'normal', at })
        if (before === undefined || before === 'ignored')
          await events.append(tx, 'repo.watched', origin(actor, repo, at), { repo_id: repo.id })
      }),
    unwatch: (actor: SignedIn, repo: Repo): Promise<void> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        await userQueries.lock(tx, [actor.account.id])
        const before = await findWatchMode(tx, actor.account.id, repo.id)
        // Stores the choice if a later push would otherwise start the watch again.
        if (watchOnPush) await putWatch(tx, actor.account.id, repo.id, { mode: 'ignored', at })
        else await deleteWatch(tx, actor.account.id, repo.id)
        if (before === 'normal' || before === 'auto')
          await events.append(tx, 'repo.unwatched', origin(actor, repo, at), { repo_id: repo.id })
      }),
    /** Watches after a push if the server is configured so, unless the user stopped watching. */
    async watchPushed(tx: Tx, userId: UserId, repoId: RepoId): Promise<void> {
      if (!watchOnPush || (await findWatchMode(tx, userId, repoId)) !== undefined) return
      const [user, repo] = [await userQueries.findById(tx, userId), await findRepoById(tx, repoId)]
      if (user && repo) await putWatch(tx, userId, repoId, { mode: 'auto', at: clock.now() })
    },
    /** Users in the order of their watches. */
    watchers: (repo: Repo, paging: Paging): Promise<Page<User>> => listWatchers(read, repo.id, paging),
    /** Repositories that `user` watches, by id: all visible ones for the user itself, public ones for others. */
    watchedBy: (viewer: Viewer, user: User, paging: Paging): Promise<Page<Repo>> =>
      listWatchedRepos(read, user.id, viewer, listOptions(viewer, user, paging)),
    isStarred: (viewer: SignedIn, repo: Repo): Promise<boolean> => isStarred(read, viewer.account.id, repo.id),
    star: (actor: SignedIn, repo: Repo): Promise<void> =>
      database.transaction(async (tx) => {
        await blockQueries.requireUnblocked(tx, actor.account.id, [repo.ownerId])
        const at = clock.now()
        if (await insertStar(tx, actor.account.id, repo.id, at))
          await events.append(tx, 'repo.starred', origin(actor, repo, at), { repo_id: repo.id })
      }),
    unstar: (actor: SignedIn, repo: Repo): Promise<void> =>
      database.transaction(async (tx) => {
        await userQueries.lock(tx, [actor.account.id])
        if (await deleteStar(tx, actor.account.id, repo.id))
          await events.append(tx, 'repo.unstarred', origin(actor, repo, clock.now()), { repo_id: repo.id })
      }),
    stargazers: (repo: Repo, paging: Paging): Promise<Page<User>> => listStargazers(read, repo.id, paging),
    starredBy: (viewer: Viewer, user: User, paging: Paging): Promise<Page<Repo>> =>
      listStarredRepos(read, user.id, viewer, listOptions(viewer, user, paging)),
  }
}
