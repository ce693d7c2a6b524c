import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { type ApiResponse, listed, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Page } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repos } from '../../repos/repos.service.ts'
import type { Guards } from '../../../../core/module.ts'
import type { Activities, ActivityView } from './activities.service.ts'
import { Activity, UserHeatmapData } from '../social.model.ts'
import { presentActivity } from '../social.present.ts'

interface ActivityOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo' | 'team' | 'visibleUser'>
  readonly activities: Activities
  readonly repos: Pick<Repos, 'views'>
  readonly site: Site
  readonly heatmapEnabled: boolean
}

const feedMembers = {
  ...pagingMembers,
  date: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Only this day: YYYY-MM-DD' })),
}
const feedQuery = Type.Object(feedMembers)
const ownFeedQuery = Type.Object({
  ...feedMembers,
  'only-performed-by': Type.Optional(
    Type.Boolean({ description: 'Only what the user did, not what others did in repositories it watches' }),
  ),
})

/** Feeds of activities and heatmaps (behaviour/users-and-admin#activity-and-other-lists). */
export const activityOperations = (deps: ActivityOperationDeps): Operation[] => [
  ...feedOperations(deps),
  heatmapOperation(deps),
]

function feedOperations(deps: ActivityOperationDeps): Operation[] {
  const { activities, guards } = deps
  const common = { method: 'GET', responses: { 200: Type.Array(Activity) }, errors: [404] } as const
  return [
    defineOperation({
      ...common,
      id: 'userListActivityFeeds',
      path: '/users/{username}/activities/feeds',
      area: 'user',
      scopes: ['user'],
      summary: 'What a user did, and what happened in repositories it watches',
      guard: guards.visibleUser,
      query: ownFeedQuery,
      async handler({ viewer, access: user, query, paging }) {
        const page = await activities.ofUser(
          viewer,
          user,
          { own: query['only-performed-by'] ?? false, day: dayOf(query.date) },
          paging,
        )
        return presentFeed(deps, viewer, user.id, page)
      },
    }),
    defineOperation({
      ...common,
      id: 'orgListActivityFeeds',
      path: '/orgs/{org}/activities/feeds',
      area: 'organization',
      scopes: ['organization'],
      summary: "What happened in an organization's repositories",
      guard: guards.org('see'),
      query: feedQuery,
      handler: async ({ viewer, access, query, paging }) =>
        presentFeed(
          deps,
          viewer,
          access.org.id,
          await activities.ofOrg(viewer, access, { day: dayOf(query.date) }, paging),
        ),
    }),
    defineOperation({
      ...common,
      id: 'orgListTeamActivityFeeds',
      path: '/teams/{id:int}/activities/feeds',
      area: 'organization',
      scopes: ['organization'],
      summary: "What happened in a team's repositories",
      guard: guards.team('member'),
      query: feedQuery,
      handler: async ({ viewer, access: { org, team }, query, paging }) =>
        presentFeed(deps, viewer, org.id, await activities.ofTeam(viewer, team.id, { day: dayOf(query.date) }, paging)),
    }),
    defineOperation({
      ...common,
      id: 'repoListActivityFeeds',
      path: '/repos/{owner}/{repo}/activities/feeds',
      area: 'repository',
      scopes: ['repository'],
      summary: 'What happened in a repository',
      guard: guards.repo('see'),
      query: feedQuery,
      handler: async ({ viewer, access: { repo }, query, paging }) =>
        presentFeed(
          deps,
          viewer,
          repo.ownerId,
          await activities.ofRepo(viewer, repo, { day: dayOf(query.date) }, paging),
        ),
    }),
  ]
}

function heatmapOperation({ activities, guards, heatmapEnabled }: ActivityOperationDeps): Operation {
  return defineOperation({
    id: 'userGetHeatmapData',
    method: 'GET',
    path: '/users/{username}/heatmap',
    area: 'user',
    scopes: ['user'],
    summary: 'How much a user did when, in the last year',
    guard: guards.visibleUser,
    responses: { 200: Type.Array(UserHeatmapData) },
    errors: [404],
    async handler({ viewer, access: user }) {
      if (!heatmapEnabled) throw notFound('heatmaps are switched off')
      return ok(
        (await activities.heatmap(viewer, user)).map(({ start, count }) => ({
          timestamp: start / 1000,
          contributions: count,
        })),
      )
    },
  })
}

async function presentFeed(
  { repos, site }: Pick<ActivityOperationDeps, 'repos' | 'site'>,
  viewer: Viewer,
  feedId: number,
  page: Page<ActivityView>,
): Promise<ApiResponse> {
  const distinct = [...new Map(page.items.map(({ repo }) => [repo.id, repo])).values()]
  const views = new Map((await repos.views(viewer, distinct)).map((view) => [view.repo.id, view]))
  return listed(
    page,
    page.items.map((item) => presentActivity(item, views.get(item.repo.id)!, { feedId, viewer, site })),
    { link: false },
  )
}

/** The first millisecond of the day in UTC; undefined, meaning no filter, for a text that is not a date. */
function dayOf(date: string | undefined): number | undefined {
  const day = date !== undefined && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  return Number.isNaN(day) ? undefined : day
}
