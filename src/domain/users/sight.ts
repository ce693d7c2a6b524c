import type { UserSight } from '../../db/stores/user-list.store.ts'
import { isPublicOnly, type Viewer } from '../../policy/viewer.ts'

/** Which individuals lists show to a viewer (reference auth-and-access §8). */
export function userSight(viewer: Viewer): UserSight {
  if (viewer.kind === 'anonymous' || isPublicOnly(viewer)) return { visibilities: ['public'] }
  const { account } = viewer
  if (account.isAdmin) return { hiddenEmails: true }
  return { visibilities: account.isRestricted ? [] : ['public', 'limited'], self: account.id }
}
