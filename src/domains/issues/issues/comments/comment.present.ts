import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type Repo, presentAttachment } from '../../../repositories/index.ts'
import { presentGhost, presentUser } from '../../../accounts/index.ts'
import { issueUrls } from '../issue.present.ts'
import type { Issue } from '../records/issue.store.ts'
import type { Comment } from './comment.model.ts'
import type { CommentView } from './comment-views.ts'

interface EntryUrls {
  readonly html_url: string
  readonly pull_request_url: string
  readonly issue_url: string
}

/** COMPAT: those of the issue are web pages, and one of them is empty (test/issues/comments.test.ts). */
export function entryUrls(id: number, { issue, repo }: { issue: Issue; repo: Repo }, site: Site): EntryUrls {
  const { html } = issueUrls(issue, repo, site)
  return {
    html_url: `${html}#issuecomment-${id}`,
    pull_request_url: issue.isPull ? html : '',
    issue_url: issue.isPull ? '' : html,
  }
}

/** The poster is shown as an anonymous caller sees it (behaviour/issues#the-issue-object). */
export function presentComment(view: CommentView, site: Site): Comment {
  const { comment, poster, assets } = view
  return {
    id: comment.id,
    ...entryUrls(comment.id, view, site),
    user: poster ? presentUser(poster, ANONYMOUS, site) : presentGhost(site),
    original_author: '',
    original_author_id: 0,
    body: comment.body,
    commit_id: 'commitOid' in comment.payload ? comment.payload.commitOid : '',
    assets: assets.map((asset) => presentAttachment(asset, site)),
    created_at: wireTime(comment.createdAt),
    updated_at: wireTime(comment.updatedAt),
  }
}
