import type { User, Users } from '../../domain/users/index.ts'
import { forbidden, notFound, unauthenticated } from '../../platform/errors.ts'
import { isSelf, isSiteAdmin, type SignedIn } from '../../policy/viewer.ts'
import type { Guard } from './guard.ts'

export interface UserGuards {
  /** `{username}` as the viewer may see it; organizations answer too. */
  visibleUser: Guard<User>
  /** As visibleUser, for signed-in callers only. */
  visibleUserSignedIn: Guard<User>
  /** `{username}` and the caller are one, or the caller is a site administrator, by Basic or the reverse proxy. */
  tokenOwner: Guard<User>
}

export function createUserGuards(users: Users): UserGuards {
  const visible = (needsUser: boolean): Guard<User> => ({
    kind: 'user',
    describe: needsUser ? 'a signed-in user who may see the user' : 'whoever may see the user',
    needsUser,
    resolve: ({ viewer, params }) => users.getInView(viewer, params['username']!),
    privacy: (user) => (user.visibility === 'public' ? undefined : 'token scope is limited to public users'),
  })
  return {
    visibleUser: visible(false),
    visibleUserSignedIn: visible(true),
    tokenOwner: {
      kind: 'self-or-admin',
      describe: 'the user or a site administrator, with a password',
      needsUser: false,
      async resolve({ viewer, params }) {
        if (viewer.kind === 'user' && !isBasic(viewer)) throw unauthenticated('auth required')
        const user = await users.findByName(params['username']!)
        if (user === undefined && isSiteAdmin(viewer)) throw notFound('user does not exist')
        if (user === undefined || !(isSelf(viewer, user.id) || isSiteAdmin(viewer))) throw forbidden('doer should be the site admin or be same as the contextUser')
        return user
      },
    },
  }
}

/** A token sent by Basic counts as Basic (reference auth-and-access §2). */
function isBasic(viewer: SignedIn): boolean {
  return viewer.method === 'password' || viewer.method === 'basic-token' || viewer.method === 'reverse-proxy'
}
