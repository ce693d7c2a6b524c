import type { Core, Services } from '../../../../core/module.ts'
import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import { errors } from '../../../errors.ts'
import type { NotificationId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { loadThreadViews, type ThreadView } from './thread-views.ts'
import {
  countThreads,
  findThread,
  listIdsToChange,
  listThreads,
  listThreadsByIds,
  type StatusChange,
  type Thread,
  type ThreadFilter,
  type ThreadStatus,
  updateStatuses,
} from './thread.store.ts'

export type OwnFilter = Omit<ThreadFilter, 'userId' | 'viewer'>

/** The maximum number of threads that one transaction changes. */
const BATCH = 500
const MAX_SHOWN = 500

interface ThreadsDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly repos: Pick<Services['repos'], 'views'>
}

export type Threads = ReturnType<typeof createThreads>

/** Notification threads of users (behaviour/issues#notifications). */
export function createThreads({ database, clock, events, repos }: ThreadsDeps) {
  const { read } = database
  const views = (viewer: Viewer, threads: readonly Thread[]): Promise<ThreadView[]> =>
    loadThreadViews({ read, repos }, viewer, threads)
  const update = (viewer: SignedIn, ids: readonly NotificationId[], change: StatusChange): Promise<void> =>
    database.transaction(async (tx) => {
      await updateStatuses(tx, ids, change)
      const payload = { user_id: viewer.account.id, thread_ids: [...ids] }
      await events.append(tx, 'notification.marked', { actor: viewer, repoId: 0, at: clock.now() }, payload)
    })
  const own = (viewer: SignedIn, filter: OwnFilter): ThreadFilter => ({ ...filter, viewer, userId: viewer.account.id })
  return {
    /** Threads of the viewer, latest first. */
    async list(viewer: SignedIn, filter: OwnFilter, paging: Paging): Promise<Page<ThreadView>> {
      const { items, total } = await listThreads(read, own(viewer, filter), paging)
      return { items: await views(viewer, items), total }
    },
    countUnread: (viewer: SignedIn): Promise<number> => countThreads(read, own(viewer, { statuses: ['unread'] })),
    /** Throws NotFound. */
    async getById(viewer: Viewer, id: NotificationId): Promise<Thread> {
      const thread = await findThread(read, id, viewer)
      if (thread === undefined) throw errors.notificationNotFound(id)
      return thread
    },
    view: async (viewer: Viewer, thread: Thread): Promise<ThreadView> => (await views(viewer, [thread]))[0]!,
    /**
     * Sets the status of the viewer's threads, in transactions of some hundred; returns changed threads, latest first,
     * at most `MAX_SHOWN` of them.
     */
    async mark(
      viewer: SignedIn,
      { statuses, before = clock.now(), ...rest }: OwnFilter,
      to: ThreadStatus,
    ): Promise<ThreadView[]> {
      const from = statuses.filter((status) => status !== to)
      const shown: NotificationId[] = []
      while (from.length > 0) {
        const ids = await listIdsToChange(read, own(viewer, { ...rest, before, statuses: from }), BATCH)
        if (ids.length === 0) break
        await update(viewer, ids, { from, to })
        shown.push(...ids.slice(0, MAX_SHOWN - shown.length))
      }
      return views(viewer, await listThreadsByIds(read, shown))
    },
    async markOne(viewer: SignedIn, thread: Thread, to: ThreadStatus): Promise<ThreadView> {
      const from = [thread.status].filter((status) => status !== to)
      if (from.length > 0) await update(viewer, [thread.id], { from, to })
      return (await views(viewer, [{ ...thread, status: to }]))[0]!
    },
  }
}
