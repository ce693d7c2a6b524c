import { isSelf, type SignedIn, type Viewer } from '../../access/viewer.ts'
import type { Database, Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { RepoId, UserId } from '../../platform/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import { findRepoById, type Repo } from '../repos/repo.store.ts'
import { requireUnblocked } from '../users/require-unblocked.ts'
import { findUserById, holdUsers, type User } from '../users/user.store.ts'
import { deleteStar, insertStar, isStarred, listStargazers, listStarredRepos } from './star.store.ts'
import { deleteWatch, findWatchMode, listWatchedRepos, listWatchers, putWatch } from './watch.store.ts'

/**
 * Watching and starring (seed, base table; reference repositories §13). Everything is idempotent. To watch and to star
 * throws Forbidden for users whom the owner blocks.
 */
export interface Social {
  isWatching(viewer: SignedIn, repo: Repo): Promise<boolean>
  watch(viewer: SignedIn, repo: Repo): Promise<void>
  unwatch(viewer: SignedIn, repo: Repo): Promise<void>
  /** Of whoever pushed, where the server is set so; whoever stopped watching is left alone. */
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
  /** Whether users watch what they push to. */
  readonly watchOnPush: boolean
}

export function createSocial({ database, clock, watchOnPush }: SocialDeps): Social {
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
          await appendEvent(tx, 'repo.watched', origin(viewer, repo, at), { repo_id: repo.id })
      }),
    unwatch: (viewer, repo) =>
      database.transaction(async (tx) => {
        const at = clock.now()
        await holdUsers(tx, [viewer.account.id])
        const before = await findWatchMode(tx, viewer.account.id, repo.id)
        // The wish is remembered where a push would bring the user back.
        if (watchOnPush) await putWatch(tx, viewer.account.id, repo.id, { mode: 'ignored', at })
        else await deleteWatch(tx, viewer.account.id, repo.id)
        if (before === 'normal' || before === 'auto')
          await appendEvent(tx, 'repo.unwatched', origin(viewer, repo, at), { repo_id: repo.id })
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
          await appendEvent(tx, 'repo.starred', origin(viewer, repo, at), { repo_id: repo.id })
      }),
    unstar: (viewer, repo) =>
      database.transaction(async (tx) => {
        await holdUsers(tx, [viewer.account.id])
        if (await deleteStar(tx, viewer.account.id, repo.id))
          await appendEvent(tx, 'repo.unstarred', origin(viewer, repo, clock.now()), { repo_id: repo.id })
      }),
    stargazers: (repo, paging) => listStargazers(read, repo.id, paging),
    starredBy: (viewer, user, paging) => listStarredRepos(read, user, viewer, lists(viewer, user, paging)),
  }
}
