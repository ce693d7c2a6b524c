import { isPublicOnly, type Viewer } from '../../access/viewer.ts'
import type { UserVisibility } from './user-list.store.ts'

/** The individuals that a search returns to a viewer (reference auth-and-access §8). */
export function visibleUsers(viewer: Viewer): UserVisibility {
  if (viewer.kind === 'anonymous' || isPublicOnly(viewer)) return { visibilities: ['public'] }
  const { account } = viewer
  if (account.isAdmin) return { matchesHiddenEmails: true }
  return { visibilities: account.isRestricted ? [] : ['public', 'limited'], self: account.id }
}

/** The followers and followed accounts of a user that a list returns to a viewer (reference users-and-admin §2). */
export function visibleRelatedUsers(viewer: Viewer): UserVisibility {
  const visible = visibleUsers(viewer)
  if (visible.self === undefined || viewer.kind === 'anonymous') return visible
  return viewer.account.isRestricted
    ? { ...visible, visibilities: ['public'] }
    : { ...visible, includesAcquaintances: true }
}
