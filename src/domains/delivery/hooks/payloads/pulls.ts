import type { Services } from '../../../../core/module.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { DomainEvent, EventPayload } from '../../../../core/events/index.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type Issue, issueQueries } from '../../../issues/index.ts'
import { reviewQueries } from '../../../pulls/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { findDeletion, type EventFactsLoader } from './event-facts.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import { messageOf, presentPayloadPull } from '../hook.present.ts'
import type { Changes, PayloadPull, PayloadUser, PullPayload } from './payload-types.ts'
import { type User, teamQueries, userQueries, userPresenters } from '../../../accounts/index.ts'
import type { Paging } from '../../../../core/platform/paging.ts'

/** The dependencies for loading pull requests. */
export interface PullSource {
  readonly pulls: Pick<Services['pulls'], 'view' | 'viewDeleted'>
  readonly site: Site
}

export interface PullBuilderDeps extends PullSource {
  readonly database: Database
  readonly facts: EventFactsLoader
}

/** The members of an event that identify a pull request. */
interface PullRef extends Pick<DomainEvent, 'id' | 'repoId'> {
  readonly payload: { readonly issue_id: number }
}

/** An event of a pull request or of its issue. */
export interface PullEvent extends PullRef, Pick<DomainEvent, 'actorId'> {
  readonly payload: { readonly issue_id: number; readonly number: number }
}

/** The differences between payloads of pull request events. */
interface Difference {
  readonly eventType:
    | 'pull_request'
    | 'pull_request_assign'
    | 'pull_request_label'
    | 'pull_request_milestone'
    | 'pull_request_review_approved'
    | 'pull_request_review_comment'
    | 'pull_request_review_rejected'
    | 'pull_request_review_request'
    | 'pull_request_sync'
  readonly action: string
  /** The commit that closed or reopened it. */
  readonly commitId?: string
  readonly changes?: Changes | undefined
  readonly requestedReviewer?: PayloadUser | null
  readonly review?: PullPayload['review']
  /** The state of the pull request in the event; it may have changed afterwards. */
  readonly known?: Partial<Pick<PayloadPull, 'state' | 'closed_at'>> | undefined
}

/** Events of pull requests only; events that they share with issues are built with those of issues. */
export const pullBuilders = (deps: PullBuilderDeps): MessageBuilders => ({
  // NOTE: a change of the base by the server is not sent (behaviour/pull-requests#branch-lifecycle).
  'pull.retargeted': async (event) => {
    if (event.payload.is_automatic) return []
    const changes = { ref: { from: event.payload.old_base }, added_labels: [], removed_labels: [] }
    return buildPullMessage(deps, event, { eventType: 'pull_request', action: 'edited', changes })
  },
  'pull.deleted': (event) =>
    buildPullMessage(deps, event, { eventType: 'pull_request', action: 'deleted' }, (repo) =>
      loadDeletedPull(deps, repo, event.payload),
    ),
  'pull.synchronized': (event) =>
    buildPullMessage(deps, event, { eventType: 'pull_request_sync', action: 'synchronized' }),
})

/** Empty when `load` returns undefined. */
export async function buildPullMessage(
  deps: PullBuilderDeps,
  event: PullEvent,
  { eventType, action, commitId = '', changes, known, requestedReviewer = null, review = null }: Difference,
  load = (repo: Repo): Promise<PayloadPull | undefined> => loadPullOf(deps, event, repo),
): Promise<HookMessage[]> {
  const found = await deps.facts.load(event, eventType === 'pull_request_sync' ? 'all' : 'sender')
  const pull = found && (await load(found.repo))
  if (pull === undefined) return []
  const { repository, sender } = found!
  const payload = {
    action,
    number: event.payload.number,
    ...(changes && { changes }),
    pull_request: { ...pull, ...known },
    requested_reviewer: requestedReviewer,
    repository,
    sender,
    commit_id: commitId,
    review,
  }
  return [messageOf(eventType, payload)]
}

/** For a deleted pull request, returns the data of its deletion event. */
export async function loadPullOf(
  deps: Pick<PullBuilderDeps, 'database'> & PullSource,
  event: PullRef,
  repo: Repo,
): Promise<PayloadPull | undefined> {
  const { read } = deps.database
  const issueId = event.payload.issue_id
  const issue = await issueQueries.findById(read, asId(issueId))
  const pull = issue && (await loadPayloadPull(deps, repo, issue))
  if (pull !== undefined) return pull
  const deletion = await findDeletion(read, event, 'pull.deleted', (deleted) => deleted.issue_id === issueId)
  return deletion && loadDeletedPull(deps, repo, deletion)
}

async function loadDeletedPull(
  { pulls, site }: PullSource,
  repo: Repo,
  deletion: EventPayload<'pull.deleted'>,
): Promise<PayloadPull | undefined> {
  const view = await pulls.viewDeleted(ANONYMOUS, { repo }, deletion)
  return view && presentPayloadPull(view, site)
}

/** Undefined when it was deleted concurrently. */
export async function loadPayloadPull(
  { pulls, site }: PullSource,
  repo: Repo,
  issue: Issue,
): Promise<PayloadPull | undefined> {
  try {
    return presentPayloadPull(await pulls.view(ANONYMOUS, { repo }, issue), site)
  } catch (error) {
    if (isDomainError(error, 'not-found')) return undefined
    throw error
  }
}

/** The event type of a submitted review, by its kind. */
const TYPES = {
  approved: 'pull_request_review_approved',
  rejected: 'pull_request_review_rejected',
  comment: 'pull_request_review_comment',
} as const

/** The maximum number of team members for whom the review request of a team is sent. */
const ASKED: Paging = { page: 1, limit: 100, offset: 0 }

/** Reviews, and requests for them (behaviour/orgs-webhooks-actions#payloads). */
export function reviewBuilders(deps: PullBuilderDeps): MessageBuilders {
  const { database, site } = deps
  const present = (user: User): PayloadUser => userPresenters.present(user, ANONYMOUS, site)
  const find = async (userId: number): Promise<PayloadUser | null> => {
    const user = userId === 0 ? undefined : await userQueries.findById(database.read, asId(userId))
    return user ? present(user) : null
  }
  const buildRequest = (event: PullEvent, action: string, requestedReviewer: PayloadUser | null) =>
    buildPullMessage(deps, event, { eventType: 'pull_request_review_request', action, requestedReviewer })
  return {
    async 'review.requested'(event) {
      const { user_id: userId, team_id: teamId } = event.payload
      if (teamId === 0) return buildRequest(event, 'review_requested', await find(userId))
      if ((await teamQueries.findById(database.read, asId(teamId))) === undefined)
        return buildRequest(event, 'review_requested', null)
      const members = (await teamQueries.listMembers(database.read, asId(teamId), ASKED)).items
      return (await buildRequest(event, 'review_requested', null)).flatMap((message) =>
        members.map((member) => askMember(message, present(member))),
      )
    },
    // NOTE: withdrawing the request of a team is not sent.
    'review.request_deleted': async (event) =>
      event.payload.team_id === 0
        ? buildRequest(event, 'review_request_removed', await find(event.payload.user_id))
        : [],
    async 'review.submitted'(event) {
      const { review_id: reviewId, reviewer_id: userId, body } = event.payload
      const there = await reviewQueries.find(database.read, asId(reviewId))
      const review = there ?? (body === undefined ? undefined : { reviewerId: userId, body })
      const eventType = TYPES[event.payload.kind as keyof typeof TYPES] as
        (typeof TYPES)[keyof typeof TYPES] | undefined
      if (review === undefined || eventType === undefined) return []
      return buildPullMessage(deps, event, {
        eventType,
        action: 'reviewed',
        requestedReviewer: await find(review.reviewerId ?? 0),
        review: { type: eventType, content: review.body },
      })
    },
  }
}

const askMember = (message: HookMessage, member: PayloadUser): HookMessage => ({
  ...message,
  payload: { ...message.payload, requested_reviewer: member },
})
