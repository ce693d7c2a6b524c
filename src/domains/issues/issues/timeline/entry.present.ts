import { ANONYMOUS, type Viewer } from '../../../../core/access/viewer.ts'
import { presentImportedAuthor } from '../../../../core/http/openapi/imported-author.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import { asId, type IssueId, type LabelId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { presentMilestone } from '../../milestones/milestone.present.ts'
import { type User, userPresenters } from '../../../accounts/index.ts'
import { commentPresenter, entryUrls } from '../issues.present.ts'
import { issuePresenter, issueUrls, onceForEach, presentIssueLabel } from '../issue.present.ts'
import type { Issue } from '../records/issue.store.ts'
import type { IssueInView, IssueView } from '../views.ts'
import type { EntryFacts } from './entry-views.ts'
import type { TimelineComment } from './timeline.model.ts'
import type { EntryKind, TimelineEntry } from './timeline-entry.store.ts'

interface PageFacts extends EntryFacts, IssueInView {
  readonly viewer: Viewer
  readonly site: Site
}

/** The facts of a page, with presenters of what several of its entries share. */
type Page = PageFacts & ReturnType<typeof partsFor>

function partsFor({ viewer, site, issue, repo }: PageFacts) {
  const present = issuePresenter(viewer, site)
  return {
    html: issueUrls(issue, repo, site).html,
    presentUser: onceForEach((user: User) => userPresenters.present(user, ANONYMOUS, site)),
    presentIssue: onceForEach((_: Issue, view: IssueView) => present(view)),
    presentComment: commentPresenter(site),
  }
}

type Members = Partial<TimelineComment>
type Present<Kind extends EntryKind> = (entry: TimelineEntry<Kind>, page: Page) => Members

/** Presents the entries of a page of the timeline (behaviour/issues#timeline). */
export function entryPresenter(facts: PageFacts): (entry: TimelineEntry) => TimelineComment {
  const page = { ...facts, ...partsFor(facts) }
  return (entry) => presentEntry(entry, page)
}

/** The common members, and those of the kind. */
function presentEntry(entry: TimelineEntry, page: Page): TimelineComment {
  const own = KINDS[entry.kind] as Present<EntryKind> | undefined
  return {
    ...NOTHING,
    id: entry.id,
    type: entry.kind,
    ...entryUrls(entry.id, page.issue, page.html),
    user: presentActor(entry.actorId, page),
    ...presentImportedAuthor(entry.originalAuthor),
    body: entry.body,
    created_at: wireTime(entry.createdAt),
    updated_at: wireTime(entry.updatedAt),
    ...own?.(entry, page),
    ...page.details.get(entry.id),
  }
}

const NOTHING = {
  commit_id: '',
  old_project_id: 0,
  project_id: 0,
  old_milestone: null,
  milestone: null,
  tracked_time: null,
  old_title: '',
  new_title: '',
  old_ref: '',
  new_ref: '',
  ref_issue: null,
  ref_comment: null,
  ref_action: 'none',
  ref_commit_sha: '',
  review_id: 0,
  label: null,
  assignee: null,
  assignee_team: null,
  removed_assignee: false,
  resolve_doer: null,
  dependent_issue: null,
} as const

/** Shows accounts as an anonymous client sees them (behaviour/issues#the-issue-object). */
function presentActor(id: UserId, { users, presentUser, site }: Page): TimelineComment['user'] {
  const user = users.get(id)
  return user ? presentUser(user) : userPresenters.presentGhost(site)
}

function presentTarget(id: number, { issues, presentIssue }: Page): TimelineComment['ref_issue'] {
  const view = issues.get(asId<IssueId>(id))
  return view ? presentIssue(view.issue, view) : null
}

function presentMilestoneOf(id: number, { milestones }: Page): TimelineComment['milestone'] {
  const milestone = milestones.get(asId(id))
  return milestone ? presentMilestone(milestone) : null
}

const reviewed = ({ payload }: TimelineEntry<'dismiss_review' | 'review'>): Members => ({
  review_id: payload.reviewId,
})

const caused = ({ payload }: TimelineEntry<'close' | 'comment' | 'merge_pull' | 'reopen'>): Members => ({
  commit_id: payload.commitOid ?? '',
})

const reference = ({ targetId, payload }: TimelineEntry<'issue_ref' | 'pull_ref'>, page: Page): Members => ({
  ref_issue: presentTarget(targetId, page),
  ref_action: payload.action,
})

const dependency = ({ targetId }: TimelineEntry, page: Page): Members => ({
  dependent_issue: presentTarget(targetId, page),
})

/** The kinds that have additional members. */
const KINDS: { readonly [Kind in EntryKind]?: Present<Kind> } = {
  comment: caused,
  close: caused,
  reopen: caused,
  issue_ref: reference,
  pull_ref: reference,
  comment_ref({ targetId, payload }, page) {
    const comment = page.comments.get(payload.commentId)
    return {
      ref_issue: presentTarget(targetId, page),
      ref_comment: comment ? page.presentComment(comment) : null,
      ref_action: payload.action,
    }
  },
  commit_ref: ({ payload }) => ({ ref_commit_sha: payload.oid, commit_id: payload.oid }),
  label({ targetId }, { labels, repo, site }) {
    const label = labels.get(asId<LabelId>(targetId))
    return { label: label ? presentIssueLabel(label, repo, site) : null }
  },
  milestone: ({ payload }, page) => ({
    old_milestone: presentMilestoneOf(payload.oldId, page),
    milestone: presentMilestoneOf(payload.newId, page),
  }),
  assignees: ({ targetId, payload }, page) => ({
    assignee: presentActor(asId(targetId), page),
    removed_assignee: payload.isRemoved,
  }),
  change_title: ({ payload }) => ({ old_title: payload.oldTitle, new_title: payload.newTitle }),
  change_issue_ref: ({ payload }) => ({ old_ref: shortRef(payload.oldRef), new_ref: shortRef(payload.newRef) }),
  delete_branch: ({ payload }) => ({ old_ref: payload.oldRef }),
  change_target_branch: ({ payload }) => ({ old_ref: payload.oldRef, new_ref: payload.newRef }),
  merge_pull: caused,
  review: reviewed,
  dismiss_review: reviewed,
  review_request: ({ targetId, payload }, page) => ({
    ...(payload.isTeam ? {} : { assignee: presentActor(asId(targetId), page) }),
    removed_assignee: payload.isRemoved,
    review_id: payload.reviewId,
  }),
  add_dependency: dependency,
  remove_dependency: dependency,
}

const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, '')
