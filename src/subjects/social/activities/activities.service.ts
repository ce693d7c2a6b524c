import { isSelf, isSiteAdmin, type Viewer } from '../../../access/viewer.ts'
import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { TeamId } from '../../../platform/ids.ts'
import type { Page, Paging } from '../../../platform/paging.ts'
import { listReposByIds, type Repo } from '../../repos/index.ts'
import { listUsersByIds, loadPreferences, type User } from '../../users/index.ts'
import { type Activity, type ActivityFilter, countActivities, listActivities } from './activity.store.ts'

export interface ActivityView {
  readonly activity: Activity
  readonly actor: User
  readonly repo: Repo
}

/** Members see what their organization does in private; `day` is the first millisecond of a day in UTC. */
export interface FeedOptions {
  readonly day?: number | undefined
}

/**
 * What happened, newest first, of repositories that the viewer may see
 * (behaviour/users-and-admin#activity-and-other-lists).
 */
export interface Activities {
  /**
   * What a user did, and unless `own` what others did in repositories it watches; what an organization's repositories
   * saw.
   */
  ofUser(
    viewer: Viewer,
    user: User,
    options: FeedOptions & { readonly own: boolean },
    paging: Paging,
  ): Promise<Page<ActivityView>>
  ofOrg(
    viewer: Viewer,
    org: { readonly org: User; readonly isMember: boolean },
    options: FeedOptions,
    paging: Paging,
  ): Promise<Page<ActivityView>>
  ofTeam(viewer: Viewer, teamId: TeamId, options: FeedOptions, paging: Paging): Promise<Page<ActivityView>>
  ofRepo(viewer: Viewer, repo: Repo, options: FeedOptions, paging: Paging): Promise<Page<ActivityView>>
  /** What an individual did in the last year, by quarters of an hour that saw anything; times in epoch milliseconds. */
  heatmap(viewer: Viewer, user: User): Promise<{ readonly start: number; readonly count: number }[]>
}

const DAY_MS = 24 * 60 * 60_000
const SPAN_MS = 15 * 60_000
const HEATMAP_MS = (366 + 7) * DAY_MS
const NOTHING: Page<ActivityView> = { items: [], total: 0 }

export function createActivities({ database, clock }: { database: Database; clock: Clock }): Activities {
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
    const repos = new Map(
      (
        await listReposByIds(
          read,
          page.items.map(({ repoId }) => repoId),
        )
      ).map((repo) => [repo.id, repo]),
    )
    const actors = new Map(
      (
        await listUsersByIds(
          read,
          page.items.map(({ actorId }) => actorId),
        )
      ).map((user) => [user.id, user]),
    )
    const items = page.items.map((activity) => ({
      activity,
      actor: actors.get(activity.actorId)!,
      repo: repos.get(activity.repoId)!,
    }))
    return { items, total: page.total }
  }
  const inside = (viewer: Viewer, user: User): boolean => isSelf(viewer, user.id) || isSiteAdmin(viewer)
  const hides = async (viewer: Viewer, user: User): Promise<boolean> =>
    !inside(viewer, user) && ((await loadPreferences(read, user.id)).hideActivity ?? false)
  return {
    async ofUser(viewer, user, { own, day }, paging) {
      const publicOnly = !inside(viewer, user)
      if (user.kind === 'organization') return feed(viewer, { ownerId: user.id, publicOnly }, { day }, paging)
      if (await hides(viewer, user)) return NOTHING
      return feed(viewer, { ...(own ? { actorId: user.id } : { feedOf: user.id }), publicOnly }, { day }, paging)
    },
    ofOrg: (viewer, { org, isMember }, options, paging) =>
      feed(viewer, { ownerId: org.id, publicOnly: !(isMember || isSiteAdmin(viewer)) }, options, paging),
    ofTeam: (viewer, teamId, options, paging) => feed(viewer, { teamId }, options, paging),
    ofRepo: (viewer, repo, options, paging) => feed(viewer, { repoId: repo.id }, options, paging),
    async heatmap(viewer, user) {
      if (user.kind !== 'individual' || (await hides(viewer, user))) return []
      const now = clock.now()
      return countActivities(read, viewer, { actorId: user.id, between: [now - HEATMAP_MS, now + 1] }, SPAN_MS)
    },
  }
}
