import { isPublicOnly, type Viewer } from '../../access/viewer.ts'
import type { UserSight } from './user-list.store.ts'

/** Which individuals searches show to a viewer (reference auth-and-access §8). */
export function userSight(viewer: Viewer): UserSight {
  if (viewer.kind === 'anonymous' || isPublicOnly(viewer)) return { visibilities: ['public'] }
  const { account } = viewer
  if (account.isAdmin) return { hiddenEmails: true }
  return { visibilities: account.isRestricted ? [] : ['public', 'limited'], self: account.id }
}

/** Which of the followers and followed of a user lists show to a viewer (reference users-and-admin §2). */
export function relatedUserSight(viewer: Viewer): UserSight {
  const sight = userSight(viewer)
  if (sight.self === undefined || viewer.kind === 'anonymous') return sight
  return viewer.account.isRestricted ? { ...sight, visibilities: ['public'] } : { ...sight, acquaintances: true }
}
