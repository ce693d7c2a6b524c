import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { findCommitOid, findReportedOid, type Git } from '../../../core/git/index.ts'
import { errors } from '../../errors.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type CombinedState, type StatusState, combineStates } from '../protections/protections.policy.ts'
import type { Repo } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import {
  type CommitStatus,
  insertCommitStatus,
  listCommitStatuses,
  listLatestStatuses,
  type StatusSort,
} from './commit-status.store.ts'

export interface StatusView {
  readonly status: CommitStatus
  /** Undefined if the account was deleted. */
  readonly creator: User | undefined
}

export interface CombinedView {
  readonly oid: string
  /** The combined state of this page. */
  readonly state: CombinedState
  /** The newest status of each context, oldest first. */
  readonly page: Page<StatusView>
}

interface NewStatus {
  readonly state: StatusState
  readonly context: string
  readonly description: string
  readonly targetUrl: string
}

export interface StatusQuery {
  readonly sort: StatusSort
  readonly state: StatusState | undefined
}

/** Results that external systems report for commits (behaviour/pull-requests#commit-statuses). */
export interface Statuses {
  /** Adds a status to the commit that `revision` names. Throws NotFound for an unknown commit. */
  create(actor: Actor, repo: Repo, revision: string, input: NewStatus): Promise<StatusView>
  /** Lists statuses by the exact full id: an empty page for anything else. */
  listOf(repo: Repo, oid: string, query: StatusQuery, paging: Paging): Promise<Page<StatusView>>
  /** Lists statuses by branch, tag, full id, or short id of at least 7 digits. Throws NotFound for anything else. */
  list(repo: Repo, ref: string, query: StatusQuery, paging: Paging): Promise<Page<StatusView>>
  /** `ref` as in `list`. */
  combined(repo: Repo, ref: string, paging: Paging): Promise<CombinedView>
}

type StatusDeps = Pick<Core, 'database' | 'git' | 'clock' | 'events'>

export function createStatuses({ database, git, clock, events }: StatusDeps): Statuses {
  const { read } = database

  const listOf: Statuses['listOf'] = async (repo, oid, query, paging) =>
    withCreators(database, await listCommitStatuses(read, { repoId: repo.id, oid }, query, paging))

  return {
    listOf,
    list: async (repo, ref, query, paging) => listOf(repo, await getReportedOid(git, repo, ref), query, paging),
    async create(actor, repo, revision, { state, context, description, targetUrl }) {
      const oid = await getOid(git, repo, revision)
      const at = clock.now()
      const values = {
        state,
        context: context.trim(),
        description: description.trim(),
        targetUrl: targetUrl.trim(),
        creatorId: actor.account.id,
        at,
      }
      const status = await database.transaction(async (tx) => {
        const made = await insertCommitStatus(tx, database.dialect, { repoId: repo.id, oid }, values)
        await events.append(
          tx,
          'commit.status',
          { actor, repoId: repo.id, at },
          { repo_id: repo.id, status_id: made.id, oid, context: made.context, state },
        )
        return made
      })
      return (await withCreators(database, { items: [status], total: 1 })).items[0]!
    },
    async combined(repo, ref, paging) {
      const oid = await getReportedOid(git, repo, ref)
      const page = await withCreators(database, await listLatestStatuses(read, { repoId: repo.id, oid }, paging))
      return { oid, state: combineStates(page.items.map((view) => view.status.state)), page }
    },
  }
}

async function getOid(git: Git, repo: Repo, revision: string): Promise<string> {
  const oid = await findCommitOid(git.open(repo), revision)
  if (oid === undefined) throw errors.commitNotFound(revision)
  return oid
}

async function getReportedOid(git: Git, repo: Repo, ref: string): Promise<string> {
  const oid = await findReportedOid(git.open(repo), repo, ref)
  if (oid === undefined) throw errors.commitNotFound(ref)
  return oid
}

async function withCreators({ read }: Database, page: Page<CommitStatus>): Promise<Page<StatusView>> {
  const users = await userQueries.listByIds(
    read,
    page.items.map((status) => asId(status.creatorId)),
  )
  const byId = new Map<number, User>(users.map((user) => [user.id, user]))
  return {
    items: page.items.map((status) => ({
      status,
      creator: status.creatorId > 0 ? byId.get(status.creatorId) : undefined,
    })),
    total: page.total,
  }
}
