import { isSiteAdmin, type SignedIn } from '../../access/viewer.ts'
import { engineErrors, unauthenticated } from '../../platform/errors.ts'
import type { Guard, GuardInput } from './guard.ts'

export const anyone: Guard<undefined> = {
  kind: 'anyone',
  describe: 'anyone',
  needsUser: false,
  resolve: () => undefined,
}

export const signedIn: Guard<SignedIn> = {
  kind: 'signed-in',
  describe: 'a signed-in user',
  needsUser: true,
  resolve: ({ viewer }) => viewer as SignedIn,
}

export const siteAdmin: Guard<SignedIn> = {
  kind: 'site-admin',
  describe: 'a site administrator',
  needsUser: true,
  resolve: ({ viewer }) => viewer as SignedIn,
  decide: (_, { viewer }) => requireSiteAdmin(viewer),
}

/** Requires the password, not a token: for settings that a token must not change. */
export const signedInByPassword: Guard<SignedIn> = {
  ...signedIn,
  describe: 'a signed-in user, with a password',
  decide: (_, { viewer }) => {
    if (viewer.kind === 'user' && viewer.method !== 'password' && viewer.method !== 'reverse-proxy')
      throw engineErrors.authRequired()
  },
}

/** The same guard, which refuses anonymous callers first when `mustSignIn` (behaviour/auth-and-access#refusals). */
export function requireSignInWhenConfigured<Access>(guard: Guard<Access>, mustSignIn: boolean): Guard<Access> {
  if (!mustSignIn) return guard
  return {
    ...guard,
    resolve(input) {
      if (input.viewer.kind === 'anonymous') throw unauthenticated('you must be signed in to search for users')
      return guard.resolve(input)
    },
  }
}

export function requireSiteAdmin(viewer: GuardInput['viewer']): void {
  if (!isSiteAdmin(viewer)) throw engineErrors.siteAdminRequired()
}

/** The caller of an operation whose guard asks for a user. */
export function requireUser(viewer: GuardInput['viewer']): SignedIn {
  if (viewer.kind === 'anonymous') throw engineErrors.tokenRequired()
  return viewer
}
