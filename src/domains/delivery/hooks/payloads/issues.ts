import type { Core } from '../../../../core/module.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { DomainEvent, EventKind } from '../../../../core/events/index.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import { asId, type LabelId } from '../../../../core/platform/crypto/ids.ts'
import { type IssueView, issueQueries, labelQueries, issuePresenters } from '../../../issues/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { findDeletion, type EventFactsLoader } from './event-facts.ts'
import { buildPullMessage, type PullSource } from './pulls.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'
import { messageOf } from '../hook.present.ts'
import type { Changes, IssuePayload, PayloadLabel } from './payload-types.ts'

export interface IssueBuilderDeps extends Pick<Core, 'database' | 'site'>, PullSource {
  readonly facts: EventFactsLoader
}

type IssueEventKind = Exclude<Extract<EventKind, `issue.${string}`>, 'issue.mentioned' | 'issue.deleting'>
type IssueEvent = DomainEvent<IssueEventKind>

/** The differences between payloads of issue events. */
interface Difference {
  readonly eventType: 'issues' | 'issue_assign' | 'issue_label' | 'issue_milestone'
  readonly action: string
  readonly commitId?: string | undefined
  readonly changes?: Changes | undefined
  /** The state of the issue in the event; it may have changed afterwards. */
  readonly known?: Pick<IssuePayload['issue'], 'state' | 'closed_at'>
}

/** The event types of pull requests. */
const PULL_TYPES = {
  issues: 'pull_request',
  issue_assign: 'pull_request_assign',
  issue_label: 'pull_request_label',
  issue_milestone: 'pull_request_milestone',
} as const

const OPEN = { state: 'open', closed_at: null } as const

/**
 * Issues and pull requests, which have the same events but different payloads
 * (behaviour/orgs-webhooks-actions#payloads).
 */
export function issueBuilders(deps: IssueBuilderDeps): MessageBuilders {
  const build = (event: IssueEvent, difference: Difference) => buildMessage(deps, event, difference)
  return {
    'issue.created': (event) => build(event, { eventType: 'issues', action: 'opened', known: OPEN }),
    'issue.closed': (event) => {
      const known = { state: 'closed', closed_at: wireTime(event.at) } as const
      return build(event, { eventType: 'issues', action: 'closed', commitId: event.payload.commit_oid, known })
    },
    'issue.reopened': (event) =>
      build(event, { eventType: 'issues', action: 'reopened', commitId: event.payload.commit_oid, known: OPEN }),
    'issue.edited': (event) =>
      build(event, { eventType: 'issues', action: 'edited', changes: textChanges(event.payload) }),
    'issue.deleted': (event) => build(event, { eventType: 'issues', action: 'deleted' }),
    'issue.assigned': (event) => build(event, { eventType: 'issue_assign', action: 'assigned' }),
    'issue.unassigned': (event) => build(event, { eventType: 'issue_assign', action: 'unassigned' }),
    'issue.labels_changed': async (event) =>
      build(event, {
        eventType: 'issue_label',
        action: event.payload.is_cleared ? 'label_cleared' : 'label_updated',
        changes: await labelChanges(deps, event),
      }),
    'issue.milestone_changed': (event) =>
      build(event, {
        eventType: 'issue_milestone',
        action: event.payload.new_id === 0 ? 'demilestoned' : 'milestoned',
      }),
  }
}

async function buildMessage(
  deps: IssueBuilderDeps,
  event: IssueEvent,
  { eventType, action, commitId = '', changes, known }: Difference,
): Promise<HookMessage[]> {
  if (event.payload.is_pull)
    return buildPullMessage(deps, event, { eventType: PULL_TYPES[eventType], action, commitId, changes, known })
  const { database, facts, site } = deps
  const found = await facts.load(event, 'sender')
  const view = found && (await findIssueView(database.read, event, found.repo))
  if (view === undefined) return []
  const { repository, sender } = found!
  const payload = {
    action,
    number: event.payload.number,
    ...(changes && { changes }),
    issue: { ...issuePresenters.present(view, ANONYMOUS, site), ...known },
    repository,
    sender,
    commit_id: commitId,
  }
  return [messageOf(eventType, payload)]
}

/** For a deleted issue, returns the data of its deletion event. */
export async function findIssueView(
  db: Db,
  event: Pick<DomainEvent, 'id' | 'repoId' | 'kind'> & { readonly payload: { readonly issue_id: number } },
  repo: Repo,
): Promise<IssueView | undefined> {
  if (event.kind === 'issue.deleted')
    return issueQueries.loadDeletedView(db, (event as DomainEvent<'issue.deleted'>).payload, repo)
  const issueId = event.payload.issue_id
  const issue = await issueQueries.findById(db, asId(issueId))
  if (issue !== undefined)
    return (await issueQueries.loadViews(db, [issue], new Map([[repo.id, repo]]), { viewer: ANONYMOUS }))[0]
  const isOf = (deleted: { readonly issue_id: number }): boolean => deleted.issue_id === issueId
  const deletion =
    (await findDeletion(db, event, 'issue.deleted', isOf)) ?? (await findDeletion(db, event, 'pull.deleted', isOf))
  return deletion && issueQueries.loadDeletedView(db, deletion, repo)
}

/** Undefined when no text changed, for example when a file was added. */
export function textChanges({
  old_title: title,
  old_body: body,
}: {
  readonly old_title?: string
  readonly old_body?: string
}): Changes | undefined {
  if (title === undefined && body === undefined) return undefined
  return {
    ...(title !== undefined && { title: { from: title } }),
    ...(body !== undefined && { body: { from: body } }),
    added_labels: [],
    removed_labels: [],
  }
}

/** Omits labels that were deleted after the event. */
async function labelChanges(
  { database, facts, site }: IssueBuilderDeps,
  event: DomainEvent<'issue.labels_changed'>,
): Promise<Changes | undefined> {
  const repo = await facts.findRepo(event)
  if (repo === undefined) return undefined
  const { added_ids: added = [], removed_ids: removed = [] } = event.payload
  const ids = [...added, ...removed].map((id) => asId<LabelId>(id))
  const labels = new Map<number, PayloadLabel>(
    [...(await labelQueries.listByIds(database.read, ids)).values()].map((label) => [
      label.id,
      issuePresenters.presentIssueLabel(label, repo, site),
    ]),
  )
  const only = ids.length === 1 ? labels.get(ids[0]!) : undefined
  return {
    added_labels: added.flatMap((id) => labels.get(id) ?? []),
    removed_labels: removed.flatMap((id) => labels.get(id) ?? []),
    ...(only && { label: only }),
  }
}
