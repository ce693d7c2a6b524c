import { Type } from '@sinclair/typebox'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { listed, noContent } from '../../../core/http/answer/answer.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { forbidden, notFound } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { UserModel as User, userPresenters } from '../../accounts/index.ts'
import type { Social } from './social.service.ts'

const PATH = '/user/starred/{owner}/{repo}'

interface StarOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly site: Site
  readonly social: Pick<Social, 'isStarred' | 'star' | 'stargazers' | 'unstar'>
  readonly starsDisabled: boolean
}

/** Operations on the stars of the requester and the stargazers of a repository. */
export function starOperations({ guards, site, social, starsDisabled }: StarOperationDeps): Operation[] {
  const starrable = whenStarsAreOn(guards.repo('see', { needsUser: true, signInBeforeLookup: true }), starsDisabled)
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
      guard: whenStarsAreOn(guards.repo('see'), starsDisabled),
      query: pagingQuery,
      responses: { 200: Type.Array(User) },
      errors: [403, 404],
      async handler({ access: { repo }, viewer, paging }) {
        const page = await social.stargazers(repo, paging)
        return listed(
          page,
          page.items.map((user) => userPresenters.present(user, viewer, site)),
          { link: false },
        )
      },
    }),
  ]
}

/** The same guard, which refuses with 403 if the site disables stars. */
export function whenStarsAreOn<Access>(guard: Guard<Access>, isOff: boolean): Guard<Access> {
  if (!isOff) return guard
  return {
    ...guard,
    decide: () => {
      throw forbidden('stars disabled by administrator')
    },
  }
}
