import type { Db } from '../../../core/db/database.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type Issue, issueQueries } from '../../issues/index.ts'
import type { Pull } from '../pulls/records/pull.store.ts'
import type { Repo } from '../../repositories/index.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { type Batch, findBatch } from './records/batch.store.ts'
import { findEntry, listEntries, listEntryPage, type QueueEntry } from './records/entry.store.ts'

/** An entry with the data that its wire model shows. */
export interface QueuedView {
  readonly repo: Repo
  readonly entry: QueueEntry
  /** The position in the queue, from 1. */
  readonly position: number
  readonly issue: Issue
  /** Undefined when the account is deleted. */
  readonly user: User | undefined
  /** Undefined while the entry is in no batch. */
  readonly batch: Batch | undefined
}

export type QueuePage = Page<QueuedView>

/** Runs four queries, whatever the length of the queue. */
export async function loadQueuePage(
  db: Db,
  { repo, branch }: { readonly repo: Repo; readonly branch: string },
  paging: Paging,
): Promise<QueuePage> {
  const context = { repoId: repo.id, branch }
  const [page, batch] = await Promise.all([listEntryPage(db, context, paging), findBatch(db, context)])
  return { items: await withDetails(db, repo, batch, page.items), total: page.total }
}

/** Undefined for a pull request that is not queued. */
export async function loadQueued(db: Db, repo: Repo, pull: Pull): Promise<QueuedView | undefined> {
  const entry = await findEntry(db, pull.id)
  if (entry === undefined) return undefined
  const [entries, batch] = await Promise.all([listEntries(db, entry), findBatch(db, entry)])
  const position = entries.findIndex(({ pullId }) => pullId === pull.id) + 1
  const [view] = await withDetails(db, repo, batch, [{ ...entry, position: Math.max(1, position) }])
  return view
}

async function withDetails(
  db: Db,
  repo: Repo,
  batch: Batch | undefined,
  entries: readonly (QueueEntry & { readonly position: number })[],
): Promise<QueuedView[]> {
  const [issues, users] = await Promise.all([
    issueQueries.listByIds(
      db,
      entries.map(({ issueId }) => issueId),
    ),
    userQueries.listByIds(
      db,
      entries.map(({ actorId }) => actorId),
    ),
  ])
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  const userOf = new Map(users.map((user) => [user.id, user]))
  return entries.flatMap(({ position, ...entry }) => {
    const issue = issueOf.get(entry.issueId)
    if (issue === undefined) return []
    const own = entry.batchId !== 0 && batch?.id === entry.batchId ? batch : undefined
    return { repo, entry, position, issue, user: userOf.get(entry.actorId), batch: own }
  })
}
