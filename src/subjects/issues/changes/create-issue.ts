import type { SignedIn } from '../../../access/viewer.ts'
import type { Database } from '../../../db/database.ts'
import type { Events } from '../../../events/index.ts'
import { flag } from '../../../db/flag.ts'
import type { Clock } from '../../../platform/clock.ts'
import { invalidField } from '../../../platform/errors.ts'
import type { MilestoneId } from '../../../platform/crypto/ids.ts'
import { listUsableLabels } from '../../labels/index.ts'
import { findMilestone } from '../../milestones/index.ts'
import { countInRepo, type RepoInView } from '../../repos/index.ts'
import { requireUnblocked, type User } from '../../users/index.ts'
import { canWriteIssue, normalizeTitle } from '../issue.policy.ts'
import { insertIssue, type Issue, takeIssueNumber } from '../records/issue.store.ts'
import { changeAssignees, findAssignees } from './change-assignees.ts'
import { indexOwnTexts } from '../texts/issue-text.store.ts'
import { addLabels, reduceToScopes } from './change-labels.ts'
import { changeMilestone } from './change-milestone.ts'
import { changeState, counterOf } from './change-state.ts'
import { type AccountChange, appendIssueEvent, reload } from './issue-change.ts'

/** What only writers may set is ignored when others create an issue (behaviour/issues#creating-editing-deleting). */
export interface NewIssue {
  readonly title: string
  readonly body: string
  readonly ref: string
  /** Logins; for writers. */
  readonly assignees: readonly string[]
  /** Labels of the repository or its organization; others are ignored; for writers. */
  readonly labelIds: readonly number[]
  /** For writers. */
  readonly milestoneId: MilestoneId | undefined
  /** Epoch milliseconds; for writers. */
  readonly dueAt: number | undefined
  readonly isClosed: boolean
}

export interface IssueDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
}

/**
 * Creates an issue. Throws Invalid for an empty title and for assignees who cannot be assigned, Forbidden for an
 * account that the owner of the repository blocks.
 */
export async function createIssue(
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  { repo, access }: RepoInView,
  input: NewIssue,
): Promise<Issue> {
  const title = normalizeTitle(input.title)
  if (title === '') throw invalidField('Title', 'Required')
  const isWriter = canWriteIssue(access, { isPull: false })
  const assignees = isWriter ? await findAssignees(database.read, repo, input.assignees) : []
  return database.transaction(async (tx) => {
    const at = clock.now()
    if (!actor.account.isAdmin) await requireUnblocked(tx, actor.account.id, [repo.ownerId])
    const { body, ref } = input
    const dueAt = isWriter ? input.dueAt : undefined
    const origin = { tx, events, actor, repo, at }
    const change = await insertNewIssue(origin, { title, body, ref, isPull: false, dueAt })
    await appendIssueEvent(change, 'issue.created', { title })
    // NOTE: what others than writers create is as it was inserted.
    const created = isWriter ? await planNewIssue(change, { ...input, assignees }) : change
    return input.isClosed ? changeState(created, { isClosed: true }) : created.issue
  })
}

interface Insertion extends Pick<Issue, 'body' | 'dueAt' | 'isPull' | 'ref'> {
  /** Normalized. */
  readonly title: string
  /** One that was taken before; undefined for the next one. */
  readonly number?: number | undefined
}

/** Inserts an issue or a pull request. Appends no event. */
export async function insertNewIssue(
  origin: Omit<AccountChange, 'issue'>,
  { title, body, ref, isPull, dueAt, number }: Insertion,
): Promise<AccountChange> {
  const { tx, actor, repo, at } = origin
  const ownNumber = number ?? (await takeIssueNumber(tx, repo.id))
  // NOTE: before the issue, whose row the transaction keeps until a statement may change it.
  await countInRepo(tx, repo, counterOf({ isPull, isClosed: false }), 1)
  const issue = await insertIssue(tx, {
    repo_id: repo.id,
    number: ownNumber,
    is_pull: flag(isPull),
    poster_id: actor.account.id,
    title,
    body,
    ref,
    due_at: dueAt ?? 0,
    created_at: at,
    updated_at: at,
  })
  await indexOwnTexts(tx, issue)
  return { ...origin, issue }
}

interface Plan extends Pick<NewIssue, 'labelIds' | 'milestoneId'> {
  readonly assignees: readonly User[]
}

/** Sets labels, milestone and assignees of a new issue; returns the change with the issue as it is then. */
export async function planNewIssue(change: AccountChange, plan: Plan): Promise<AccountChange> {
  const { tx, repo } = change
  const labels = await listUsableLabels(tx, { repoId: repo.id, ownerId: repo.ownerId }, { ids: plan.labelIds })
  await addLabels(change, [], reduceToScopes(labels))
  const milestone = plan.milestoneId && (await findMilestone(tx, repo.id, plan.milestoneId))
  if (milestone) await changeMilestone(change, milestone.id)
  if (plan.assignees.length > 0) await changeAssignees(change, plan.assignees)
  return reload(change)
}
