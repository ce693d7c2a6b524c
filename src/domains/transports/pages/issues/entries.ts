import type { Core, Services } from '../../../../core/module.ts'
import { escapePath } from '../../../../core/access/repo-urls.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { entryPresenter, type IssueInView, type TimelineEntry } from '../../../issues/index.ts'
import { NOTHING, time, type PageContext, when } from '../layout.ts'

type TimelinePage = Awaited<ReturnType<Services['timeline']['list']>>
type ShownEntry = ReturnType<ReturnType<typeof entryPresenter>>
type Account = Pick<ShownEntry['user'], 'id' | 'login'>
type ShownIssue = Pick<NonNullable<ShownEntry['ref_issue']>, 'html_url' | 'number' | 'repository' | 'title'>

/** An entry of a timeline, and its form in the API. */
export interface Entry {
  readonly entry: TimelineEntry
  readonly shown: ShownEntry
}

export const entriesOf = (
  { site }: Pick<Core, 'site'>,
  context: PageContext,
  target: IssueInView,
  page: TimelinePage,
): Entry[] => {
  const present = entryPresenter({ ...page, ...target, viewer: context.viewer, site })
  return page.entries.map((entry) => ({ entry, shown: present(entry) }))
}

/** The name of an account, with a link to its page unless it stands for a deleted one. */
export const account = ({ base }: PageContext, { id, login }: Account): Html =>
  id > 0 ? safeHtml`<a href="${base}/${login}">${login}</a>` : safeHtml`${login}`

/** The author of an entry: an imported one may have no account here. */
const authorOf = (context: PageContext, { entry, shown }: Entry): Html =>
  entry.originalAuthor === undefined ? account(context, shown.user) : safeHtml`${entry.originalAuthor.login}`

export const labelPart = ({ name }: { readonly name: string }): Html => safeHtml`<span class="label">${name}</span>`

const issueLink = (issue: ShownIssue): Html =>
  safeHtml`<a href="${issue.html_url}">${issue.title}</a> ${issue.repository?.full_name ?? ''}#${issue.number}`

const referred = ({ shown }: Entry): Html =>
  safeHtml`referred to this in ${shown.ref_issue ? issueLink(shown.ref_issue) : 'another issue'}`

function commit({ base }: PageContext, { repo }: IssueInView, oid: string): Html {
  const short = safeHtml`<code>${oid.slice(0, 10)}</code>`
  return safeHtml`<a href="${base}/${repo.fullName}/commit/${escapePath(oid)}">${short}</a>`
}

type Sentence = (entry: Entry, context: PageContext, target: IssueInView) => Html

const plain =
  (text: string): Sentence =>
  () =>
    safeHtml`${text}`

/** A sentence, and the body of the entry, which is a plain text of the server. */
const withBody =
  (text: string): Sentence =>
  ({ shown }) =>
    safeHtml`${text}${when(shown.body, (body) => safeHtml`: ${body}`)}`

/** A sentence, and the commit that caused the entry. */
const byCommit =
  (text: string): Sentence =>
  ({ shown }, context, target) =>
    safeHtml`${text}${when(shown.commit_id, (oid) => safeHtml` by commit ${commit(context, target, oid)}`)}`

const onIssue =
  (text: string): Sentence =>
  ({ shown }) =>
    safeHtml`${text} ${shown.dependent_issue ? issueLink(shown.dependent_issue) : 'another issue'}`

/** Sentences for entries that are events; comments have a form of their own. */
const SENTENCES: Readonly<Record<Exclude<TimelineEntry['kind'], 'pending_code' | 'pending_review'>, Sentence>> = {
  comment: plain('commented'),
  code: plain('commented on the changes'),
  review: plain('reviewed the changes'),
  dismiss_review: plain('dismissed a review'),
  close: byCommit('closed this'),
  reopen: byCommit('opened this again'),
  issue_ref: referred,
  pull_ref: referred,
  comment_ref: (entry) => {
    const { ref_comment: comment } = entry.shown
    return safeHtml`${referred(entry)}${comment === null ? NOTHING : safeHtml`, <a href="${comment.html_url}">in a comment</a>`}`
  },
  commit_ref: ({ entry, shown }, context, target) =>
    safeHtml`referred to this in commit ${entry.targetId === target.repo.id ? commit(context, target, shown.ref_commit_sha) : safeHtml`<code>${shown.ref_commit_sha.slice(0, 10)}</code> of another repository`}`,
  label: ({ shown }) =>
    safeHtml`${shown.body === '' ? 'removed' : 'added'} the label ${shown.label ? labelPart(shown.label) : 'that was deleted since'}`,
  milestone: ({ shown: { old_milestone: before, milestone: after } }) =>
    after ? safeHtml`set the milestone ${after.title}` : safeHtml`removed the milestone ${before?.title ?? ''}`,
  assignees: ({ shown }, context) =>
    safeHtml`${shown.removed_assignee ? 'removed the assignee' : 'assigned'} ${shown.assignee ? account(context, shown.assignee) : ''}`,
  change_title: ({ shown }) => safeHtml`changed the title from “${shown.old_title}” to “${shown.new_title}”`,
  delete_branch: ({ shown }) => safeHtml`deleted the branch <code>${shown.old_ref}</code>`,
  start_tracking: plain('started to track time'),
  stop_tracking: withBody('worked on this'),
  add_time_manual: withBody('added time'),
  cancel_tracking: plain('stopped to track time without recording it'),
  delete_time_manual: withBody('deleted time'),
  added_deadline: withBody('set the due date'),
  modified_deadline: ({ shown }) => {
    const [after = '', before = ''] = shown.body.split('|')
    return safeHtml`changed the due date from ${before} to ${after}`
  },
  removed_deadline: withBody('removed the due date'),
  add_dependency: onIssue('added the dependency'),
  remove_dependency: onIssue('removed the dependency'),
  lock: withBody('locked this'),
  unlock: plain('unlocked this'),
  change_issue_ref: ({ shown }) =>
    safeHtml`changed the ref from <code>${shown.old_ref}</code> to <code>${shown.new_ref}</code>`,
  pin: plain('pinned this'),
  unpin: plain('unpinned this'),
  change_time_estimate: plain('changed the time estimate'),
  pull_push: plain('pushed commits'),
  merge_pull: byCommit('merged this'),
  change_target_branch: ({ shown }) =>
    safeHtml`changed the base branch from <code>${shown.old_ref}</code> to <code>${shown.new_ref}</code>`,
  pull_scheduled_merge: withBody('scheduled the merge'),
  pull_cancel_scheduled_merge: withBody('cancelled the scheduled merge'),
  review_request: ({ shown }, context) => {
    const of = shown.assignee ? account(context, shown.assignee) : safeHtml`${shown.assignee_team?.name ?? 'a team'}`
    return safeHtml`${shown.removed_assignee ? 'withdrew the request for a review of' : 'requested a review of'} ${of}`
  },
  project: ({ entry }) =>
    'isAdded' in entry.payload && entry.payload.isAdded
      ? safeHtml`added this to a project`
      : safeHtml`removed this from a project`,
  project_board: plain('moved this in a project'),
}

/** Who did what and when, in one line. */
export function entryLine(item: Entry, context: PageContext, target: IssueInView): Html {
  const sentence = SENTENCES[item.entry.kind as keyof typeof SENTENCES]
  return safeHtml`${authorOf(context, item)} ${sentence(item, context, target)}, ${time(item.shown.created_at)}`
}

/** The id of the review of an entry; undefined for none. */
export const reviewIdOf = ({ entry: { payload } }: Entry) =>
  'reviewId' in payload ? asId<ReviewKey>(payload.reviewId) : undefined

type ReviewKey = Parameters<Services['reviews']['listByIds']>[0][number]
