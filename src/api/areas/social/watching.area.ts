import { Type } from '@sinclair/typebox'
import { User } from '../../../contract/models/user.ts'
import { WatchInfo } from '../../../contract/models/watch-info.ts'
import { pagingQuery } from '../../../contract/paging.ts'
import { notFound } from '../../../platform/errors.ts'
import type { SignedIn } from '../../../policy/viewer.ts'
import { presentUser } from '../../../present/user.present.ts'
import { presentWatchInfo } from '../../../present/watch-info.present.ts'
import { listed, noContent, ok } from '../../answer.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

/** Seed, base table: `/repos/{username}/{reponame}/subscription`. */
const PATH = '/repos/{owner}/{repo}/subscription'

export function watchingOperations({ guards, site, social }: Pick<AreaDeps, 'guards' | 'site' | 'social'>): Operation[] {
  const common = { area: 'repository', scopes: ['repository'] } as const
  const member = guards.repo('see', { needsUser: true })
  return [
    defineOperation({
      ...common,
      id: 'userCurrentCheckSubscription',
      method: 'GET',
      path: PATH,
      summary: 'How the caller watches a repository',
      guard: member,
      responses: { 200: WatchInfo },
      errors: [401, 404],
      async handler({ access: { repo }, viewer }) {
        if (!(await social.isWatching(viewer as SignedIn, repo))) throw notFound('the repository is not watched')
        return ok(presentWatchInfo(repo, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'userCurrentPutSubscription',
      method: 'PUT',
      path: PATH,
      summary: 'Watch a repository',
      guard: member,
      responses: { 200: WatchInfo },
      errors: [401, 403, 404],
      async handler({ access: { repo }, viewer }) {
        await social.watch(viewer as SignedIn, repo)
        return ok(presentWatchInfo(repo, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'userCurrentDeleteSubscription',
      method: 'DELETE',
      path: PATH,
      summary: 'Stop watching a repository',
      guard: member,
      responses: { 204: null },
      errors: [401, 404],
      async handler({ access: { repo }, viewer }) {
        await social.unwatch(viewer as SignedIn, repo)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoListSubscribers',
      method: 'GET',
      path: '/repos/{owner}/{repo}/subscribers',
      summary: 'Users who watch a repository',
      guard: guards.repo('see'),
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [404],
      async handler({ access: { repo }, viewer, paging }) {
        const page = await social.watchers(repo, paging)
        return listed(page, page.items.map((user) => presentUser(user, viewer, site)), { link: false })
      },
    }),
  ]
}
