import type { Database } from '../../../../core/db/database.ts'
import { asId, type NotificationId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { ThreadChange } from './thread-changes.policy.ts'

/** A thread with the event that changed it last. */
export interface ChangedThread {
  readonly id: NotificationId
  readonly userId: UserId
  readonly eventId: number
}

interface Row {
  readonly id: number
  readonly user_id: number
  readonly repo_id: number
  readonly issue_id: number | null
  readonly updated_at: number
}

const COLUMNS = ['id', 'user_id', 'repo_id', 'issue_id', 'updated_at'] as const

/** The threads of these users that the changes affect, without duplicates. */
export async function listChangedThreads(
  { dialect, read }: Pick<Database, 'dialect' | 'read'>,
  userIds: readonly number[],
  changes: readonly ThreadChange[],
): Promise<ChangedThread[]> {
  const found = new Map<number, ChangedThread>()
  const note = (id: number, userId: number, eventId: number): void => {
    if (eventId > (found.get(id)?.eventId ?? 0)) found.set(id, { id: asId(id), userId: asId(userId), eventId })
  }
  const users = new Set(userIds)
  for (const change of changes)
    if (change.kind === 'marked' && users.has(change.userId))
      for (const id of change.threadIds) note(id, change.userId, change.eventId)
  const ofIssues = changes.filter((change) => change.kind === 'issue')
  const ofRepos = changes.filter((change) => change.kind === 'repository')
  const size = Math.floor(dialect.chunkSize / 2)
  for (let from = 0; from < userIds.length; from += size) {
    const rows = await listRows(read, userIds.slice(from, from + size), {
      issueIds: [...new Set(ofIssues.map(({ issueId }) => issueId))],
      repoIds: [...new Set(ofRepos.map(({ repoId }) => repoId))],
    })
    for (const { id, user_id, repo_id, issue_id, updated_at } of rows) {
      const of = issue_id === null ? ofRepos.filter(({ repoId }) => repoId === repo_id) : ofIssues
      for (const change of of) {
        const isAbout = change.kind === 'repository' || change.issueId === issue_id
        if (isAbout && updated_at >= change.since) note(id, user_id, change.eventId)
      }
    }
  }
  return [...found.values()]
}

interface About {
  readonly issueIds: readonly number[]
  readonly repoIds: readonly number[]
}

async function listRows(
  read: Database['read'],
  userIds: readonly number[],
  { issueIds, repoIds }: About,
): Promise<Row[]> {
  const threads = read.selectFrom('notification').select(COLUMNS).where('user_id', 'in', userIds)
  const ofIssues = issueIds.length === 0 ? [] : await threads.where('issue_id', 'in', issueIds).execute()
  const ofRepos =
    repoIds.length === 0 ? [] : await threads.where('issue_id', 'is', null).where('repo_id', 'in', repoIds).execute()
  return [...ofIssues, ...ofRepos]
}
