import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../access/viewer.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { listed, noContent } from '../../http/answer.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { pagingQuery } from '../../http/paging-members.ts'
import { notFound } from '../../platform/errors.ts'
import { User } from '../users/user.model.ts'
import { presentUser } from '../users/user.present.ts'
import { whenStarsAreOn } from './stars-on.ts'

const PATH = '/user/starred/{owner}/{repo}'

export function starOperations({
  config,
  guards,
  site,
  social,
}: Pick<AreaDeps, 'config' | 'guards' | 'site' | 'social'>): Operation[] {
  const starrable = whenStarsAreOn(
    guards.repo('see', { needsUser: true, signInFirst: true }),
    config.repository.disable_stars,
  )
  const common = {
    area: 'user',
    scopes: ['user', 'repository'],
    guard: starrable,
    responses: { 204: null },
    errors: [401, 403, 404],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'userCurrentCheckStarring',
      method: 'GET',
      path: PATH,
      summary: 'Whether the caller starred a repository',
      async handler({ access: { repo }, viewer }) {
        if (!(await social.isStarred(viewer as SignedIn, repo))) throw notFound('the repository is not starred')
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'userCurrentPutStar',
      method: 'PUT',
      path: PATH,
      summary: 'Star a repository',
      async handler({ access: { repo }, viewer }) {
        await social.star(viewer as SignedIn, repo)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'userCurrentDeleteStar',
      method: 'DELETE',
      path: PATH,
      summary: 'Take a star back',
      async handler({ access: { repo }, viewer }) {
        await social.unstar(viewer as SignedIn, repo)
        return noContent()
      },
    }),
    defineOperation({
      id: 'repoListStargazers',
      method: 'GET',
      path: '/repos/{owner}/{repo}/stargazers',
      area: 'repository',
      scopes: ['repository'],
      summary: 'Users who starred a repository',
      guard: whenStarsAreOn(guards.repo('see'), config.repository.disable_stars),
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [403, 404],
      async handler({ access: { repo }, viewer, paging }) {
        const page = await social.stargazers(repo, paging)
        return listed(
          page,
          page.items.map((user) => presentUser(user, viewer, site)),
          { link: false },
        )
      },
    }),
  ]
}
