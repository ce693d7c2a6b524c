import { AccessMode, type RepoAccess, unitMode, type Unit } from '../../../core/access/repo-access.ts'
import type { DomainEvent, EventKind, EventPayload } from '../../../core/events/index.ts'

interface ShownRepo {
  readonly id: number
  readonly private: boolean
  readonly internal: boolean
  readonly owner: { readonly visibility: string }
}

interface WithPull {
  readonly pull_request?: {
    readonly base: { readonly repo: ShownRepo }
    readonly head: { readonly repo: ShownRepo | null }
  }
}

/**
 * The payload of a webhook without the head repository of a pull request unless it is public: readers of the stream of
 * a repository may not be able to read all its forks.
 */
export function withoutHiddenHead(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { pull_request: pull } = payload as WithPull
  const head = pull?.head.repo
  if (!head || head.id === pull.base.repo.id || isPublic(head)) return payload
  return { ...payload, pull_request: { ...pull, head: { ...pull.head, repo: null } } }
}

const isPublic = (repo: ShownRepo): boolean => !repo.private && !repo.internal && repo.owner.visibility === 'public'

/** The payload of an event for clients, and who may read it. */
export interface ShownEvent {
  /** A reader needs one of these units; empty if every reader of the repository may see the event. */
  readonly units: readonly Unit[]
  readonly payload: object
}

type Show<Kind extends EventKind> = (payload: EventPayload<Kind>) => ShownEvent

/** The maximum number of updates of one push. */
const MAX_UPDATES = 100

const inUnit = (unit: Unit, payload: object): ShownEvent => ({ units: [unit], payload })
const forReaders = (payload: object = {}): ShownEvent => ({ units: [], payload })

interface OfIssue {
  readonly number: number
  readonly is_pull: boolean
}

const onIssue = ({ number, is_pull }: OfIssue, more: object = {}): ShownEvent =>
  inUnit(is_pull ? 'repo.pulls' : 'repo.issues', { number, is_pull, ...more })

const onComment = (payload: OfIssue & { readonly comment_id: number }): ShownEvent =>
  onIssue(payload, { comment_id: payload.comment_id })

/** Labels and milestones belong to both issues and pull requests. */
const onBoth = (payload: object): ShownEvent => ({ units: ['repo.issues', 'repo.pulls'], payload })

const onLabel = ({ label_id, name }: EventPayload<'label.edited'>): ShownEvent => onBoth({ label_id, name })

const onMilestone = ({ milestone_id, title }: EventPayload<'milestone.edited'>): ShownEvent =>
  onBoth({ milestone_id, title })

const onRelease = ({ release_id, tag_name, title, is_prerelease }: EventPayload<'release.updated'>): ShownEvent =>
  inUnit('repo.releases', { release_id, tag_name, title, is_prerelease })

const onPull = ({ number }: { readonly number: number }, more: object = {}): ShownEvent =>
  onIssue({ number, is_pull: true }, more)

const onRequest = ({ user_id, team_id, ...payload }: EventPayload<'review.requested'>): ShownEvent =>
  onPull(payload, { user_id, team_id })

const onRun = ({ run_id, number, workflow }: EventPayload<'action_run.deleted'>, more: object = {}): ShownEvent =>
  inUnit('repo.actions', { run_id, run_number: number, workflow, ...more })

const onPage = ({ page }: EventPayload<'wiki.edited'>): ShownEvent => inUnit('repo.wiki', { page })

/**
 * The kinds of events that streams send (behaviour/repositories#event-stream). Other kinds concern settings, rights and
 * credentials, or are followed by one of these kinds.
 */
const SHOWN: { readonly [Kind in EventKind]?: Show<Kind> } = {
  'action_job.changed': ({ job_id, ...payload }) => onRun(payload, { job_id }),
  'action_run.created': (payload) => onRun(payload),
  'action_run.deleted': (payload) => onRun(payload),
  'action_run.rerun': (payload) => onRun(payload),
  'comment.created': onComment,
  'comment.deleted': onComment,
  'comment.edited': onComment,
  'commit.status': ({ oid, context, state }) => inUnit('repo.code', { sha: oid, context, state }),
  'issue.assigned': (payload) => onIssue(payload, { user_id: payload.user_id }),
  'issue.closed': (payload) => onIssue(payload),
  'issue.created': (payload) => onIssue(payload, { title: payload.title }),
  'issue.deleted': (payload) => onIssue(payload),
  'issue.edited': (payload) => onIssue(payload),
  'issue.labels_changed': (payload) => onIssue(payload),
  'issue.milestone_changed': ({ old_id, new_id, ...payload }) =>
    onIssue(payload, { old_milestone_id: old_id, milestone_id: new_id }),
  'issue.reopened': (payload) => onIssue(payload),
  'issue.transferred': (payload) => onIssue(payload),
  'issue.unassigned': (payload) => onIssue(payload, { user_id: payload.user_id }),
  'label.created': onLabel,
  'label.deleted': onLabel,
  'label.edited': onLabel,
  'milestone.created': onMilestone,
  'milestone.deleting': onMilestone,
  'milestone.edited': onMilestone,
  'merge_queue.built': ({ branch, ref, base_oid, oid, numbers }) =>
    inUnit('repo.code', { branch, ref, base_oid, oid, numbers }),
  'merge_queue.entered': ({ branch, ...payload }) => onPull(payload, { branch }),
  'merge_queue.left': ({ branch, reason, is_failure, ...payload }) => onPull(payload, { branch, reason, is_failure }),
  'pull.deleted': (payload) => onPull(payload),
  'pull.retargeted': ({ old_base, new_base, ...payload }) => onPull(payload, { old_base, new_base }),
  'pull.synchronized': ({ old_oid, new_oid, is_force_push, ...payload }) =>
    onPull(payload, { old_oid, new_oid, is_force_push }),
  'release.deleted': onRelease,
  'release.published': onRelease,
  'release.updated': onRelease,
  'repo.edited': () => forReaders(),
  'repo.pushed': ({ updates }) =>
    inUnit('repo.code', {
      updates: updates.slice(0, MAX_UPDATES).map(({ ref, old_oid, new_oid }) => ({ ref, old_oid, new_oid })),
      total_updates: updates.length,
    }),
  'repo.renamed': ({ name, old_name }) => forReaders({ name, old_name }),
  'repo.topics_changed': ({ topics }) => forReaders({ topics }),
  'review.request_deleted': onRequest,
  'review.requested': onRequest,
  'review.submitted': ({ review_id, kind, ...payload }) => onPull(payload, { review_id, review_kind: kind }),
  'review_comment.created': ({ comment_id, ...payload }) => onPull(payload, { comment_id }),
  'wiki.created': onPage,
  'wiki.deleted': onPage,
  'wiki.edited': onPage,
  'wiki.pushed': () => inUnit('repo.wiki', {}),
}

export const SHOWN_KINDS = Object.keys(SHOWN) as EventKind[]

const NAMES: { readonly [Kind in EventKind]?: string } = { 'milestone.deleting': 'milestone.deleted' }

/** The name of a kind in messages. */
export const nameOfKind = (kind: EventKind): string => NAMES[kind] ?? kind

export const isShownKind = (kind: EventKind): boolean => Object.hasOwn(SHOWN, kind)

/** Undefined for kinds that streams do not send. */
export const showEvent = ({ kind, payload }: DomainEvent): ShownEvent | undefined =>
  (SHOWN[kind] as Show<EventKind> | undefined)?.(payload)

export const canReadUnits = (access: RepoAccess, units: readonly Unit[]): boolean =>
  units.length === 0 || units.some((unit) => unitMode(access, unit) >= AccessMode.read)
