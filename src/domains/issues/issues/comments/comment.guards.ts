import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import { type Guard, nested } from '../../../../core/http/guards/guard.ts'
import { forbidden } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { parseInteger } from '../../../../core/platform/paging.ts'
import type { RepoGuard } from '../../../repositories/index.ts'
import { canReadIssue, canEditEntry, canEditFiles, isHiddenFrom } from '../issue.policy.ts'
import { findIssueById } from '../records/issue.store.ts'
import { findEntry, type TimelineEntry } from '../timeline/timeline-entry.store.ts'
import type { IssueInView } from '../views.ts'

/** An entry of the timeline of an issue that the viewer may read; the caller checks whether its kind is a comment. */
export interface EntryInView extends IssueInView {
  readonly entry: TimelineEntry
}

/**
 * `read`: readers of the unit of the issue. `edit`: the author and writers. `files`: accounts that may change the
 * files.
 */
type CommentLevel = 'read' | 'edit' | 'files'

/** `{owner}/{repo}` and the entry `{id}` of one of its issues; an entry of another repository is 404. */
export type CommentGuard = (
  level: CommentLevel,
  options?: { readonly needsUser?: boolean; readonly archived?: 'refuse' },
) => Guard<EntryInView>

const REFUSALS: Readonly<Record<CommentLevel, string>> = {
  read: '',
  edit: '',
  files: 'user should have permission to edit comment',
}

const DESCRIPTIONS: Readonly<Record<CommentLevel, string>> = {
  read: 'read the unit of the issue',
  edit: 'the author of the comment, or write the unit of the issue',
  files: 'write the unit of the issue, and the author of the comment or admin',
}

export function createCommentGuard({ read }: Database, repoGuard: RepoGuard): CommentGuard {
  return (level, { needsUser = level !== 'read', archived } = {}) =>
    nested(repoGuard('see', { unit: 'repo.issues', needsUser, ...(archived && { archived }) }), {
      describe: `${DESCRIPTIONS[level]}${archived ? ', not archived' : ''}`,
      async resolve({ repo, access }, { params, viewer }) {
        const entry = await findEntry(read, parseInteger(params['id']))
        const issue = entry?.repoId === repo.id ? await findIssueById(read, entry.issueId) : undefined
        const isFound = entry !== undefined && issue !== undefined
        if (!isFound || !canReadIssue(access, issue) || isHiddenFrom(viewer, entry)) throw errors.commentNotFound()
        return { issue, entry }
      },
      decide(found, { viewer }) {
        if (!isAllowed(level, viewer, found)) throw forbidden(REFUSALS[level])
      },
      async recheck({ entry }) {
        if ((await findEntry(read, entry.id)) === undefined) throw errors.commentDeleted()
      },
    })
}

function isAllowed(level: CommentLevel, viewer: Viewer, { access, issue, entry }: EntryInView): boolean {
  switch (level) {
    case 'read':
      return true
    case 'edit':
      return canEditEntry(viewer, access, issue, entry)
    case 'files':
      return canEditFiles(viewer, access, issue, entry)
  }
}
