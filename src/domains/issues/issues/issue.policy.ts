import { AccessMode } from '../../../core/access/access-mode.ts'
import { isRepoAdmin, type RepoAccess, unitMode } from '../../../core/access/repo-access.ts'
import type { Unit } from '../../../core/access/units.ts'
import { type SignedIn, viewerId, type Viewer } from '../../../core/access/viewer.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { Issue } from './records/issue.store.ts'

type Kind = Pick<Issue, 'isPull'>

/** The unit that decides about an issue or a pull request. */
export const unitOf = ({ isPull }: Kind): Unit => (isPull ? 'repo.pulls' : 'repo.issues')

export const canReadIssue = (access: RepoAccess, issue: Kind): boolean =>
  unitMode(access, unitOf(issue)) >= AccessMode.read

/** Whether labels, assignees, milestone, deadline and state may be changed. */
export const canWriteIssue = (access: RepoAccess, issue: Kind): boolean =>
  unitMode(access, unitOf(issue)) >= AccessMode.write || isRepoAdmin(access)

/** Whether title, body, ref and state may be changed: the poster and writers. */
export const canEditIssue = (viewer: Viewer, access: RepoAccess, issue: Issue): boolean =>
  viewerId(viewer) === issue.posterId || canWriteIssue(access, issue)

/** Users whom issues of the repository may be assigned to (behaviour/issues#creating-editing-deleting). */
export const canBeAssigned = (access: RepoAccess): boolean =>
  isRepoAdmin(access) ||
  unitMode(access, 'repo.pulls') >= AccessMode.read ||
  [...access.units.values()].some((mode) => mode >= AccessMode.write)

interface UpdateTime {
  readonly access: RepoAccess
  readonly issue: Pick<Issue, 'createdAt'>
  /** The time that the client sent; undefined for none. */
  readonly given: number | undefined
  readonly now: number
}

/**
 * The time of a change: now, or the time that an administrator of the repository gives. Throws Forbidden for others,
 * and for a time before the issue or in the future (behaviour/issues#rules-of-updated_at).
 */
export function decideUpdateTime(actor: SignedIn, { access, issue, given, now }: UpdateTime): number {
  if (given === undefined) return now
  if (!isRepoAdmin(access) && !actor.account.isAdmin) throw forbidden('user needs to have admin or owner right')
  const isBefore = Math.floor(given / 1000) < Math.floor(issue.createdAt / 1000)
  if (isBefore || given > now) throw forbidden('unallowed update date')
  return given
}

const MAX_TITLE_BYTES = 255

/** Trimmed, and cut to 255 bytes that end in `…` (behaviour/issues#creating-editing-deleting). */
export function normalizeTitle(text: string): string {
  const title = text.trim()
  if (Buffer.byteLength(title) <= MAX_TITLE_BYTES) return title
  const limit = MAX_TITLE_BYTES - Buffer.byteLength('…')
  let bytes = 0
  let kept = ''
  for (const character of title) {
    bytes += Buffer.byteLength(character)
    if (bytes > limit) break
    kept += character
  }
  return `${kept}…`
}

/** The last second of the day of a time in RFC 3339, in the offset of that time; epoch milliseconds. */
export const endOfDay = (timestamp: string): number =>
  Date.parse(`${timestamp.slice(0, 10)}T23:59:59${/(?:[Zz]|[+-]\d\d:\d\d)$/.exec(timestamp)![0].toUpperCase()}`)
