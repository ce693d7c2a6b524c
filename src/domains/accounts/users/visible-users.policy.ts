import { isPublicOnly, type Viewer } from '../../../core/access/viewer.ts'
import type { UserVisibility } from './user-list.store.ts'

/** The individuals that a search returns to a viewer (behaviour/auth-and-access#user-kinds-and-visibility). */
export function visibleUsers(viewer: Viewer): UserVisibility {
  if (viewer.kind === 'anonymous' || isPublicOnly(viewer)) return { visibilities: ['public'] }
  const { account } = viewer
  if (account.isAdmin) return { matchesHiddenEmails: true }
  return { visibilities: account.isRestricted ? [] : ['public', 'limited'], self: account.id }
}

/**
 * The followers and followed accounts of a user that a list returns to a viewer
 * (behaviour/users-and-admin#the-user-object).
 */
export function visibleRelatedUsers(viewer: Viewer): UserVisibility {
  const visible = visibleUsers(viewer)
  if (visible.self === undefined || viewer.kind === 'anonymous') return visible
  return viewer.account.isRestricted
    ? { ...visible, visibilities: ['public'] }
    : { ...visible, includesAcquaintances: true }
}
