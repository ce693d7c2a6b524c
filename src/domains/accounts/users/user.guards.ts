import { isSelf, isSiteAdmin, type SignedIn } from '../../../core/access/viewer.ts'
import { requireSiteAdmin, requireUser } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { engineErrors, forbidden } from '../../../core/platform/errors.ts'
import type { User } from './user.store.ts'
import type { Users } from './users.service.ts'

export interface UserGuards {
  /** The user or organization `{username}`, if the viewer may see it. */
  visibleUser: Guard<User>
  /** Like `visibleUser`, for signed-in users only. */
  visibleUserSignedIn: Guard<User>
  /** `{username}`, for that user and site administrators who authenticate by Basic or the reverse proxy. */
  tokenOwner: Guard<User>
  /** `{username}` of any kind and visibility, for site administrators. */
  adminOfUser: Guard<UserForAdmin>
}

interface UserForAdmin {
  readonly actor: SignedIn
  readonly user: User
}

export function createUserGuards(users: Users): UserGuards {
  const visible = (needsUser: boolean): Guard<User> => ({
    kind: 'user',
    describe: needsUser ? 'a signed-in user who may see the user' : 'callers that may see the user',
    needsUser,
    resolve: ({ viewer, params }) => users.getInView(viewer, params['username']!),
    privacy: (user) => (user.visibility === 'public' ? undefined : 'token scope is limited to public users'),
  })
  return {
    visibleUser: visible(false),
    visibleUserSignedIn: visible(true),
    adminOfUser: {
      kind: 'site-admin',
      describe: 'a site administrator',
      needsUser: true,
      async resolve({ viewer, params }) {
        requireSiteAdmin(viewer)
        return { actor: requireUser(viewer), user: await users.getInView(viewer, params['username']!) }
      },
    },
    tokenOwner: {
      kind: 'self-or-admin',
      describe: 'the user or a site administrator, with a password',
      needsUser: false,
      async resolve({ viewer, params }) {
        const user = await users.getInView(viewer, params['username']!)
        if (!isSelf(viewer, user.id) && !isSiteAdmin(viewer))
          throw forbidden('doer should be the site admin or be same as the contextUser')
        if (viewer.kind === 'user' && !authenticatedByBasic(viewer)) throw engineErrors.authRequired()
        return user
      },
    },
  }
}

/** A token sent by Basic counts as Basic (behaviour/auth-and-access#authentication-methods). */
function authenticatedByBasic(viewer: SignedIn): boolean {
  return viewer.method === 'password' || viewer.method === 'basic-token' || viewer.method === 'reverse-proxy'
}
