import { isSelf, type SignedIn, type Viewer } from '../../access/viewer.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { findRepoById, type Repo } from '../repos/index.ts'
import { findUserById, lockUsers, requireUnblocked, type User } from '../users/index.ts'
import { deleteStar, insertStar, isStarred, listStargazers, listStarredRepos } from './star.store.ts'
import { deleteWatch, findWatchMode, listWatchedRepos, listWatchers, putWatch } from './watches/watch.store.ts'

/**
 * Watching and starring (behaviour/base-interface#endpoints-of-the-base-interface,
 * behaviour/repositories#watching-and-starring). Everything is idempotent. To watch and to star throws Forbidden for
 * users whom the owner blocks.
 */
export interface Social {
  isWatching(viewer: SignedIn, repo: Repo): Promise<boolean>
  watch(viewer: SignedIn, repo: Repo): Promise<void>
  unwatch(viewer: SignedIn, repo: Repo): Promise<void>
  /** After a push, where the server is configured so; users who stopped watching keep their choice. */
  watchPushed(tx: Tx, userId: UserId, repoId: RepoId): Promise<void>
  /** In the order in which they began. */
  watchers(repo: Repo, paging: Paging): Promise<Page<User>>
  /** Repositories that `user` watches, by id: all it still sees for itself, public ones for others. */
  watchedBy(viewer: Viewer, user: User, paging: Paging): Promise<Page<Repo>>
  isStarred(viewer: SignedIn, repo: Repo): Promise<boolean>
  star(viewer: SignedIn, repo: Repo): Promise<void>
  unstar(viewer: SignedIn, repo: Repo): Promise<void>
  stargazers(repo: Repo, paging: Paging): Promise<Page<User>>
  starredBy(viewer: Viewer, user: User, paging: Paging): Promise<Page<Repo>>
}

export interface SocialDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  /** Whether users watch what they push to. */
  readonly watchOnPush: boolean
}

export function createSocial({ database, clock, events, watchOnPush }: SocialDeps): Social {
  const { read } = database
  const lists = (viewer: Viewer, user: User, paging: Paging) => ({ publicOnly: !isSelf(viewer, user.id), paging })
  const origin = (viewer: SignedIn, repo: Repo, at: number) => ({ actorId: viewer.account.id, repoId: repo.id, at })
  return {
    async isWatching(viewer, repo) {
      const mode = await findWatchMode(read, viewer.account.id, repo.id)
      return mode === 'normal' || mode === 'auto'
    },
    watch: (viewer, repo) =>
      database.transaction(async (tx) => {
        await requireUnblocked(tx, viewer.account.id, [repo.ownerId])
        const at = clock.now()
        const before = await findWatchMode(tx, viewer.account.id, repo.id)
        await putWatch(tx, viewer.account.id, repo.id, { mode: 'normal', at })
        if (before === undefined || before === 'ignored')
          await events.append(tx, 'repo.watched', origin(viewer, repo, at), { repo_id: repo.id })
      }),
    unwatch: (viewer, repo) =>
      database.transaction(async (tx) => {
        const at = clock.now()
        await lockUsers(tx, [viewer.account.id])
        const before = await findWatchMode(tx, viewer.account.id, repo.id)
        // The choice is kept where a push would otherwise start it again.
        if (watchOnPush) await putWatch(tx, viewer.account.id, repo.id, { mode: 'ignored', at })
        else await deleteWatch(tx, viewer.account.id, repo.id)
        if (before === 'normal' || before === 'auto')
          await events.append(tx, 'repo.unwatched', origin(viewer, repo, at), { repo_id: repo.id })
      }),
    async watchPushed(tx, userId, repoId) {
      if (!watchOnPush || (await findWatchMode(tx, userId, repoId)) !== undefined) return
      const [user, repo] = [await findUserById(tx, userId), await findRepoById(tx, repoId)]
      if (user && repo) await putWatch(tx, userId, repoId, { mode: 'auto', at: clock.now() })
    },
    watchers: (repo, paging) => listWatchers(read, repo.id, paging),
    watchedBy: (viewer, user, paging) => listWatchedRepos(read, user.id, viewer, lists(viewer, user, paging)),
    isStarred: (viewer, repo) => isStarred(read, viewer.account.id, repo.id),
    star: (viewer, repo) =>
      database.transaction(async (tx) => {
        await requireUnblocked(tx, viewer.account.id, [repo.ownerId])
        const at = clock.now()
        if (await insertStar(tx, viewer.account.id, repo.id, at))
          await events.append(tx, 'repo.starred', origin(viewer, repo, at), { repo_id: repo.id })
      }),
    unstar: (viewer, repo) =>
      database.transaction(async (tx) => {
        await lockUsers(tx, [viewer.account.id])
        if (await deleteStar(tx, viewer.account.id, repo.id))
          await events.append(tx, 'repo.unstarred', origin(viewer, repo, clock.now()), { repo_id: repo.id })
      }),
    stargazers: (repo, paging) => listStargazers(read, repo.id, paging),
    starredBy: (viewer, user, paging) => listStarredRepos(read, user, viewer, lists(viewer, user, paging)),
  }
}
