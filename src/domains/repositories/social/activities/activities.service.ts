import type { Core } from '../../../../core/module.ts'
import type { Hook } from '../../../../core/platform/hook.ts'
import { isSelf, isSiteAdmin, type Viewer } from '../../../../core/access/viewer.ts'
import type { RepoId, TeamId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type Repo, listReposByIds } from '../../repos/repo.store.ts'
import { type User, userQueries } from '../../../accounts/index.ts'
import { type Activity, type ActivityFilter, countActivities, listActivities } from './activity.store.ts'

export interface ActivityView {
  readonly activity: Activity
  readonly actor: User
  readonly repo: Repo
  /** The wire model of the comment that the activity created, if it still exists. */
  readonly comment: Readonly<Record<string, unknown>> | undefined
}

export interface CommentLocation {
  readonly commentId: number
  /** The repository of the activity. */
  readonly repoId: RepoId
}

/**
 * The module that presents comments registers a loader of their wire models by id, with a fixed number of queries; it
 * omits comments that were deleted or transferred to another repository.
 */
export type ActivityComments = Hook<
  [locations: readonly CommentLocation[]],
  ReadonlyMap<number, Readonly<Record<string, unknown>>>
>

interface ActivitiesDeps extends Pick<Core, 'database' | 'clock'> {
  readonly comments: ActivityComments
}

/** `day` is the first millisecond of a day in UTC. */
interface FeedOptions {
  readonly day?: number | undefined
}

const DAY_MS = 24 * 60 * 60_000
const SPAN_MS = 15 * 60_000
const HEATMAP_MS = (366 + 7) * DAY_MS
const EMPTY: Page<ActivityView> = { items: [], total: 0 }

export type Activities = ReturnType<typeof createActivities>

/**
 * Activities, newest first, in repositories and units that the viewer may see
 * (behaviour/users-and-admin#activity-and-other-lists).
 */
export function createActivities({ database, clock, comments }: ActivitiesDeps) {
  const { read } = database
  const feed = async (
    viewer: Viewer,
    filter: ActivityFilter,
    { day }: FeedOptions,
    paging: Paging,
  ): Promise<Page<ActivityView>> => {
    const page = await listActivities(
      read,
      viewer,
      { ...filter, between: day === undefined ? undefined : [day, day + DAY_MS] },
      paging,
    )
    const repoIds = page.items.map(({ repoId }) => repoId)
    const actorIds = page.items.map(({ actorId }) => actorId)
    const repos = new Map((await listReposByIds(read, repoIds)).map((repo) => [repo.id, repo]))
    const actors = new Map((await userQueries.listByIds(read, actorIds)).map((user) => [user.id, user]))
    const commented = page.items.filter(({ commentId }) => commentId !== 0)
    const made = commented.length === 0 ? undefined : await comments.first(commented)
    const items = page.items.map((activity) => ({
      activity,
      actor: actors.get(activity.actorId)!,
      repo: repos.get(activity.repoId)!,
      comment: made?.get(activity.commentId),
    }))
    return { items, total: page.total }
  }
  const isPrivileged = (viewer: Viewer, user: User): boolean => isSelf(viewer, user.id) || isSiteAdmin(viewer)
  const hides = async (viewer: Viewer, user: User): Promise<boolean> =>
    !isPrivileged(viewer, user) && ((await userQueries.loadPreferences(read, user.id)).hideActivity ?? false)
  return {
    /**
     * For an individual: its own activities and, unless `own`, those of others in repositories that it watches. For an
     * organization: activities in its repositories.
     */
    async ofUser(
      viewer: Viewer,
      user: User,
      { own, day }: FeedOptions & { readonly own: boolean },
      paging: Paging,
    ): Promise<Page<ActivityView>> {
      const publicOnly = !isPrivileged(viewer, user)
      if (user.kind === 'organization') return feed(viewer, { ownerId: user.id, publicOnly }, { day }, paging)
      if (await hides(viewer, user)) return EMPTY
      return feed(viewer, { ...(own ? { actorId: user.id } : { feedOf: user.id }), publicOnly }, { day }, paging)
    },
    /** Includes private repositories for members of the organization. */
    ofOrg: (
      viewer: Viewer,
      { org, isMember }: { readonly org: User; readonly isMember: boolean },
      options: FeedOptions,
      paging: Paging,
    ): Promise<Page<ActivityView>> =>
      feed(viewer, { ownerId: org.id, publicOnly: !(isMember || isSiteAdmin(viewer)) }, options, paging),
    ofTeam: (viewer: Viewer, teamId: TeamId, options: FeedOptions, paging: Paging): Promise<Page<ActivityView>> =>
      feed(viewer, { teamId }, options, paging),
    ofRepo: (viewer: Viewer, repo: Repo, options: FeedOptions, paging: Paging): Promise<Page<ActivityView>> =>
      feed(viewer, { repoId: repo.id }, options, paging),
    /**
     * The number of activities of an individual in the last year per quarter of an hour, without empty ones; epoch
     * milliseconds.
     */
    async heatmap(viewer: Viewer, user: User): Promise<{ readonly start: number; readonly count: number }[]> {
      if (user.kind !== 'individual' || (await hides(viewer, user))) return []
      const now = clock.now()
      return countActivities(read, viewer, { actorId: user.id, between: [now - HEATMAP_MS, now + 1] }, SPAN_MS)
    },
  }
}
