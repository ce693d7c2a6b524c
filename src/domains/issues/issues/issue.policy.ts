import { isRepoAdmin, type RepoAccess, unitMode, AccessMode, type Unit } from '../../../core/access/repo-access.ts'
import { viewerId, type Viewer, type SignedIn } from '../../../core/access/viewer.ts'
import type { Issue } from './records/issue.store.ts'
import type { EntryKind, TimelineEntry } from './timeline/timeline-entry.store.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'

type Kind = Pick<Issue, 'isPull'>

/** The unit that controls access to an issue or a pull request. */
export const unitOf = ({ isPull }: Kind): Unit => (isPull ? 'repo.pulls' : 'repo.issues')

export const canReadIssue = (access: RepoAccess, issue: Kind): boolean =>
  unitMode(access, unitOf(issue)) >= AccessMode.read

/** Whether labels, assignees, milestone, due date and state may be changed. */
export const canWriteIssue = (access: RepoAccess, issue: Kind): boolean =>
  unitMode(access, unitOf(issue)) >= AccessMode.write || isRepoAdmin(access)

/** Whether title, body, ref and state may be changed: by the author and writers. */
export const canEditIssue = (viewer: Viewer, access: RepoAccess, issue: Issue): boolean =>
  viewerId(viewer) === issue.authorId || canWriteIssue(access, issue)

/**
 * Whether issues of the repository may be assigned to a user with this access
 * (behaviour/issues#creating-editing-deleting).
 */
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
 * The time of a change: now, or the time that an administrator of the repository states. Throws Forbidden for other
 * accounts, and for a time before the issue or in the future (behaviour/issues#rules-of-updated_at).
 */
export function decideUpdateTime(actor: SignedIn, { access, issue, given, now }: UpdateTime): number {
  if (given === undefined) return now
  if (!isRepoAdmin(access) && !actor.account.isAdmin) throw forbidden('user needs to have admin or owner right')
  const isBefore = Math.floor(given / 1000) < Math.floor(issue.createdAt / 1000)
  if (isBefore || given > now) throw forbidden('unallowed update date')
  return given
}

const MAX_TITLE_BYTES = 255

/** Trims the title and cuts it to 255 bytes that end in `…` (behaviour/issues#creating-editing-deleting). */
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

/** A timeline entry with a text of its author, including comments of reviews. */
export type Comment = TimelineEntry<'code' | 'comment' | 'pending_code'>

export const COMMENT_KINDS = ['code', 'comment', 'pending_code'] as const satisfies readonly EntryKind[]

export const isComment = (entry: TimelineEntry): entry is Comment => COMMENT_KINDS.some((kind) => entry.kind === kind)

/**
 * A text that its author and writers may change and delete: a comment, the text of a review, or the reason of a
 * dismissal.
 */
export type Text = Comment | TimelineEntry<'dismiss_review' | 'review'>

export const isText = (entry: TimelineEntry): entry is Text =>
  isComment(entry) || entry.kind === 'review' || entry.kind === 'dismiss_review'

/** Whether the text is included in searches, references and webhooks. */
export const isPublished = ({ kind }: TimelineEntry): boolean =>
  kind === 'code' || kind === 'comment' || kind === 'review'

/** Only the reviewer sees the entries of a review that is not submitted (behaviour/pull-requests#review-comments). */
export const isHiddenFrom = (viewer: Viewer, { kind, actorId }: TimelineEntry): boolean =>
  (kind === 'pending_code' || kind === 'pending_review') && viewerId(viewer) !== actorId

/** Whether the viewer may change and delete the text: its author and writers may (behaviour/issues#comments). */
export const canEditEntry = (viewer: Viewer, access: RepoAccess, issue: Issue, entry: TimelineEntry): boolean =>
  viewerId(viewer) === entry.actorId || canWriteIssue(access, issue)

/**
 * Whether the viewer may change the files: its author if a writer, and administrators (behaviour/issues#attachments).
 */
export const canEditFiles = (viewer: Viewer, access: RepoAccess, issue: Issue, entry: TimelineEntry): boolean =>
  canWriteIssue(access, issue) && (viewerId(viewer) === entry.actorId || isRepoAdmin(access))

/** The kinds in a list; at least one. */
export interface IssueKinds {
  readonly issues: boolean
  readonly pulls: boolean
}

export const isUnitReadable = (access: RepoAccess, unit: 'repo.issues' | 'repo.pulls'): boolean =>
  unitMode(access, unit) >= AccessMode.read

/**
 * COMPAT: an empty repository and a mirror have no pull requests here (test/issues/units.test.ts;
 * behaviour/issues#blocked-users-archived-repositories-disabled-units).
 */
const hasPulls = (repo: Repo, access: RepoAccess): boolean =>
  !repo.isEmpty && !repo.isMirror && isUnitReadable(access, 'repo.pulls')

export const areBothUnitsOff = (repo: Repo, access: RepoAccess): boolean =>
  !isUnitReadable(access, 'repo.issues') && !hasPulls(repo, access)

/**
 * The kinds of a list: `issues`, `pulls`, or for any other type those that the requester may read. Throws NotFound when
 * no requested kind can be read.
 */
export function readKinds({ repo, access }: RepoInView, type?: string): IssueKinds {
  if (type === 'pulls') {
    if (!isUnitReadable(access, 'repo.pulls')) throw errors.pullsNotReadable()
    return { issues: false, pulls: true }
  }
  const kinds = { issues: isUnitReadable(access, 'repo.issues'), pulls: hasPulls(repo, access) && type !== 'issues' }
  if (!kinds.issues && !kinds.pulls) throw errors.issuesNotReadable()
  return kinds
}

/** Who may read and change issues and comments. */
export const issueRules = {
  isComment,
  isHiddenFrom,
  canRead: canReadIssue,
  canEdit: canEditIssue,
  canWrite: canWriteIssue,
  normalizeTitle,
  unitOf,
} as const
