import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { flag } from '../../../../core/db/flag.ts'
import { engineErrors } from '../../../../core/platform/errors.ts'
import type { MilestoneId } from '../../../../core/platform/crypto/ids.ts'
import { type RepoInView, repoQueries } from '../../../repositories/index.ts'
import { blockQueries } from '../../../accounts/index.ts'
import { canWriteIssue, normalizeTitle } from '../issue.policy.ts'
import { insertIssue, type Issue, allocateIssueNumber } from '../records/issue.store.ts'
import { indexOwnTexts } from '../texts/issue-text.store.ts'
import { changeProjects, findWantedProjects } from './change-projects.ts'
import { counterOf, type AccountChange, appendIssueEvent } from './issue-change.ts'
import {
  countTriage,
  type NewIssueChange,
  type TriageFields,
  NO_TRIAGE,
  findTriageFields,
  recordTriage,
} from './triage-new-issue.ts'

/** Members that only writers may set are ignored for other accounts (behaviour/issues#creating-editing-deleting). */
export interface NewIssue {
  readonly title: string
  readonly body: string
  readonly ref: string
  /** Logins; for writers only. */
  readonly assignees: readonly string[]
  /** Labels of the repository or its organization; others are ignored; for writers only. */
  readonly labelIds: readonly number[]
  /** Only writers may set them. */
  readonly projectIds?: readonly number[] | undefined
  /** Only writers may set it. */
  readonly milestoneId: MilestoneId | undefined
  /** Epoch milliseconds; only writers may set it. */
  readonly dueAt: number | undefined
  readonly isClosed: boolean
}

export type IssueDeps = Pick<Core, 'database' | 'clock' | 'events'>

/** A new issue with its labels, milestone and assignees. */
export type CreatedIssue = Pick<NewIssueChange, 'issue' | 'plan'>

/**
 * Creates an issue. Throws Invalid for an empty title and for assignees who cannot be assigned, Forbidden for an
 * account that the owner of the repository blocks.
 */
export async function createIssue(
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  { repo, access }: RepoInView,
  input: NewIssue,
): Promise<CreatedIssue> {
  const title = normalizeTitle(input.title)
  if (title === '') throw engineErrors.fieldRequired('Title')
  const isWriter = canWriteIssue(access, { isPull: false })
  const projects =
    isWriter && input.projectIds?.length
      ? await findWantedProjects(database.read, actor, { repo, access }, input.projectIds)
      : undefined
  const plan = isWriter ? await findTriageFields(database.read, actor, repo, input) : NO_TRIAGE
  return database.transaction(async (tx) => {
    const at = clock.now()
    if (!actor.account.isAdmin)
      await blockQueries.requireUnblocked(tx, actor.account.id, [
        repo.ownerId,
        ...plan.assignees.map((user) => user.id),
      ])
    const { body, ref, isClosed } = input
    const dueAt = isWriter ? input.dueAt : undefined
    const origin = { tx, events, actor, repo, at }
    const created = await insertNewIssue(origin, { title, body, ref, isPull: false, isClosed, dueAt, plan })
    await appendIssueEvent(created, 'issue.created', { title })
    await recordTriage(created)
    if (projects !== undefined) await changeProjects(created, projects)
    return created
  })
}

interface Insertion extends Pick<Issue, 'body' | 'dueAt' | 'isClosed' | 'isPull' | 'ref'> {
  /** Normalized. */
  readonly title: string
  /** Undefined for none. */
  readonly plan?: TriageFields | undefined
  /** A number that was allocated before; undefined for the next one. */
  readonly number?: number | undefined
}

/**
 * Inserts an issue or a pull request with its milestone. Call `recordTriage` afterwards, which writes labels, assignees
 * and events.
 */
export async function insertNewIssue(
  origin: Omit<AccountChange, 'issue'>,
  { title, body, ref, isPull, isClosed, dueAt, number, plan = NO_TRIAGE }: Insertion,
): Promise<NewIssueChange> {
  const { tx, actor, repo, at } = origin
  const ownNumber = number ?? (await allocateIssueNumber(tx, repo.id))
  await repoQueries.addToCounter(tx, repo.id, counterOf({ isPull, isClosed }), 1)
  const counted = await countTriage(tx, repo, plan, { isClosed, at })
  const issue = await insertIssue(tx, {
    repo_id: repo.id,
    number: ownNumber,
    is_pull: flag(isPull),
    is_closed: flag(isClosed),
    poster_id: actor.account.id,
    title,
    body,
    ref,
    milestone_id: counted.milestone?.id ?? 0,
    due_at: dueAt ?? 0,
    created_at: at,
    updated_at: at,
    closed_at: isClosed ? at : 0,
  })
  await indexOwnTexts(tx, issue)
  return { ...origin, issue, plan: counted }
}
