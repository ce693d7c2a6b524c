import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { DomainEvent, EventPayload } from '../../../../core/events/index.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type Issue, findIssueById } from '../../../issues/index.ts'
import type { Pulls } from '../../../pulls/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { findDeletion } from './find-deletion.ts'
import type { EventFactsLoader } from './event-facts.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import { messageOf, presentPayloadPull } from '../hook.present.ts'
import type { Changes, PayloadPull, PayloadUser, PullPayload } from './payload-types.ts'

/** What pull requests are loaded with. */
export interface PullSource {
  readonly pulls: Pick<Pulls, 'view' | 'viewDeleted'>
  readonly site: Site
}

export interface PullBuilderDeps extends PullSource {
  readonly database: Database
  readonly facts: EventFactsLoader
}

/** What a pull request is found by. */
interface PullRef extends Pick<DomainEvent, 'id' | 'repoId'> {
  readonly payload: { readonly issue_id: number }
}

/** An event of a pull request or of its issue. */
export interface PullEvent extends PullRef, Pick<DomainEvent, 'actorId'> {
  readonly payload: { readonly issue_id: number; readonly number: number }
}

/** What the payloads of events of pull requests differ in. */
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
  /** Of the commit that closed or reopened it. */
  readonly commitId?: string
  readonly changes?: Changes | undefined
  readonly requestedReviewer?: PayloadUser | null
  readonly review?: PullPayload['review']
  /** What the event itself says of the pull request, which may have changed since. */
  readonly known?: Partial<Pick<PayloadPull, 'state' | 'closed_at'>> | undefined
}

/** Events of pull requests alone; those that they share with issues are among those of issues. */
export const pullBuilders = (deps: PullBuilderDeps): MessageBuilders => ({
  // NOTE: a base that the server chose is not sent (behaviour/pull-requests#branch-lifecycle).
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

/** None when `load` finds nothing. */
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

/** Of a pull request that was deleted since, what its deletion says of it. */
export async function loadPullOf(
  deps: Pick<PullBuilderDeps, 'database'> & PullSource,
  event: PullRef,
  repo: Repo,
): Promise<PayloadPull | undefined> {
  const { read } = deps.database
  const issueId = event.payload.issue_id
  const issue = await findIssueById(read, asId(issueId))
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

/** Undefined when it was deleted meanwhile. */
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
