import type { SignedIn } from '../../../access/viewer.ts'
import type { Database, Tx } from '../../../db/database.ts'
import type { Events } from '../../../events/index.ts'
import { flag } from '../../../db/flag.ts'
import type { Clock } from '../../../platform/clock.ts'
import { invalidField } from '../../../platform/errors.ts'
import type { MilestoneId } from '../../../platform/crypto/ids.ts'
import { listUsableLabels } from '../../labels/index.ts'
import { findMilestone } from '../../milestones/index.ts'
import { addToRepoCounter, type Repo, type RepoInView } from '../../repos/index.ts'
import { requireUnblocked } from '../../users/index.ts'
import { canWriteIssue, normalizeTitle } from '../issue.policy.ts'
import { insertIssue, type Issue, takeIssueNumber } from '../records/issue.store.ts'
import { changeAssignees, findAssignees } from './change-assignees.ts'
import { indexOwnTexts } from '../texts/issue-text.store.ts'
import { addLabels, reduceToScopes } from './change-labels.ts'
import { changeMilestone } from './change-milestone.ts'
import { changeState, counterOf } from './change-state.ts'
import { appendIssueEvent, type IssueChange, reload } from './issue-change.ts'

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
    const issue = await insertNewIssue(tx, { actor, repo, at, title, input, isWriter })
    const change: IssueChange = { tx, events, actor, repo, issue, at }
    await appendIssueEvent(change, 'issue.created', { title })
    if (isWriter) {
      const labels = await listUsableLabels(tx, { repoId: repo.id, ownerId: repo.ownerId }, { ids: input.labelIds })
      await addLabels(change, [], reduceToScopes(labels))
      await changeAssignees(change, assignees)
      const milestone = input.milestoneId && (await findMilestone(tx, repo.id, input.milestoneId))
      if (milestone) await changeMilestone(change, milestone.id)
    }
    // NOTE: what others than writers create is as it was inserted.
    const created = isWriter ? await reload(change) : change
    return input.isClosed ? changeState(created, { isClosed: true }) : created.issue
  })
}

interface Insertion {
  readonly actor: SignedIn
  readonly repo: Repo
  readonly at: number
  readonly title: string
  readonly input: NewIssue
  readonly isWriter: boolean
}

async function insertNewIssue(tx: Tx, { actor, repo, at, title, input, isWriter }: Insertion): Promise<Issue> {
  const issue = await insertIssue(tx, {
    repo_id: repo.id,
    number: await takeIssueNumber(tx, repo.id),
    is_pull: flag(false),
    poster_id: actor.account.id,
    title,
    body: input.body,
    ref: input.ref,
    due_at: isWriter ? (input.dueAt ?? 0) : 0,
    created_at: at,
    updated_at: at,
  })
  await indexOwnTexts(tx, issue)
  await addToRepoCounter(tx, repo.id, counterOf(issue), 1)
  return issue
}
