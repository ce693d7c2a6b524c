import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { UserModel as User, userPresenters } from '../../../accounts/index.ts'
import type { Social } from '../social.service.ts'
import { WatchInfo } from '../social.model.ts'
import { presentWatchInfo } from '../social.present.ts'

/** Seed, base table: `/repos/{username}/{reponame}/subscription`. */
const PATH = '/repos/{owner}/{repo}/subscription'

interface WatchingOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly site: Site
  readonly social: Pick<Social, 'isWatching' | 'unwatch' | 'watch' | 'watchers'>
}

/** Operations on the watches of the requester and the watchers of a repository. */
export function watchingOperations({ guards, site, social }: WatchingOperationDeps): Operation[] {
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
        return listed(
          page,
          page.items.map((user) => userPresenters.present(user, viewer, site)),
          { link: false },
        )
      },
    }),
  ]
}
