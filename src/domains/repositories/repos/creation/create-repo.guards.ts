import type { Services } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { requireSiteAdmin } from '../../../../core/http/guards/account.guards.ts'
import type { Guard, GuardInput } from '../../../../core/http/guards/guard.ts'
import { invalid, isDomainError } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { User } from '../../../accounts/index.ts'
import type { Repos } from '../repos.service.ts'

export interface CreateRepoGuards {
  /** The signed-in user, as the owner of the new repository. */
  self: Guard<User>
  /** `{org}`, if the viewer may create repositories there; 404 if it is hidden or missing. */
  inOrg: Guard<User>
  /** Like `inOrg`, but 422 if it is hidden or missing (behaviour/decisions#unknown-organizations). */
  inOrgByOldPath: Guard<User>
  /** `{username}`, for site administrators. */
  byAdmin: Guard<User>
}

/** Guards for the creation of repositories, by owner (behaviour/repositories#creating). */
export function createRepoCreationGuards(deps: {
  orgs: Services['orgs']
  repos: Repos
  users: Services['users']
}): CreateRepoGuards {
  const findOrg = async ({ viewer, params }: GuardInput): Promise<User> => {
    const { org } = await deps.orgs.getInView(viewer, params['org']!)
    if (!(await deps.repos.mayCreateFor(viewer as SignedIn, org))) throw errors.organizationCreateForbidden()
    return org
  }
  const privacy = (owner: User): string | undefined =>
    owner.visibility === 'public' ? undefined : 'token scope is limited to public orgs'
  const inOrg: Guard<User> = {
    kind: 'org',
    describe: 'callers that may create repositories in the organization',
    needsUser: true,
    resolve: findOrg,
    privacy,
  }
  return {
    self: {
      kind: 'signed-in',
      describe: 'a signed-in user',
      needsUser: true,
      resolve: ({ viewer }) => deps.users.getOwn(viewer as SignedIn),
    },
    inOrg,
    inOrgByOldPath: {
      ...inOrg,
      resolve: (input) =>
        findOrg(input).catch((error: unknown) => {
          throw isDomainError(error, 'not-found')
            ? invalid(`organization does not exist [name: ${input.params['org']!}]`)
            : error
        }),
    },
    byAdmin: {
      kind: 'site-admin',
      describe: 'a site administrator',
      needsUser: true,
      async resolve({ viewer, params }) {
        requireSiteAdmin(viewer)
        return deps.users.getInView(viewer, params['username']!)
      },
    },
  }
}
