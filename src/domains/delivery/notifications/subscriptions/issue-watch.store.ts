import type { Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { countRows, selectPage } from '../../../../core/db/page.ts'
import { asId, type IssueId, type RepoId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import type { Issue } from '../../../issues/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { type User, userRows } from '../../../accounts/index.ts'

/** The kinds of timeline entries whose authors take part in an issue. */
export const PARTICIPATING_KINDS = ['comment', 'code', 'review'] as const

/** The choice of the user; undefined for no choice. */
export async function findIssueWatch(db: Db, issueId: IssueId, userId: UserId): Promise<boolean | undefined> {
  const row = await db
    .selectFrom('issue_watch')
    .select('is_watching')
    .where('issue_id', '=', issueId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && row.is_watching === 1
}

/** Authors of the issue and of comments are participants; assignees are not (behaviour/issues#subscriptions). */
export async function isParticipant(db: Db, { id, authorId }: Issue, userId: UserId): Promise<boolean> {
  if (authorId === userId) return true
  const row = await db
    .selectFrom('timeline_entry')
    .select('id')
    .where('issue_id', '=', id)
    .where('kind', 'in', PARTICIPATING_KINDS)
    .where('actor_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

interface IssueWatch {
  readonly issueId: IssueId
  readonly userId: UserId
  readonly isWatching: boolean
  readonly at: number
}

export async function putIssueWatch(tx: Tx, { issueId, userId, isWatching, at }: IssueWatch): Promise<void> {
  await tx
    .insertInto('issue_watch')
    .values({ issue_id: issueId, user_id: userId, is_watching: flag(isWatching), created_at: at })
    .onConflict((conflict) =>
      conflict.columns(['issue_id', 'user_id']).doUpdateSet({ is_watching: flag(isWatching), created_at: at }),
    )
    .execute()
}

/** Subscribed users, in the order of their choices. */
export async function listIssueWatchers(db: Db, issueId: IssueId, paging: Paging): Promise<Page<User>> {
  const watches = db.selectFrom('issue_watch').where('issue_id', '=', issueId).where('is_watching', '=', 1)
  const users = watches
    .innerJoin('user', 'user.id', 'issue_watch.user_id')
    .selectAll('user')
    .orderBy('issue_watch.created_at')
    .orderBy('user.id')
  return selectPage(users, paging, userRows.toUser, () => countRows(watches))
}

/**
 * The repositories of an owner with issues for which the user has made a choice, including repositories that it may not
 * see.
 */
export function listReposOfIssueWatches(db: Db, userId: UserId, ownerId: UserId): Promise<Repo[]> {
  const chosen = db
    .selectFrom('issue_watch')
    .innerJoin('issue', 'issue.id', 'issue_watch.issue_id')
    .select('issue.repo_id')
    .where('issue_watch.user_id', '=', userId)
  return repoQueries.listAmong(db, ownerId, chosen)
}

/** The members of a team who have made a choice for issues of the repository. */
export async function listTeamIssueWatchers(db: Db, teamId: TeamId, repoId: RepoId): Promise<UserId[]> {
  const rows = await db
    .selectFrom('team_member')
    .innerJoin('issue_watch', 'issue_watch.user_id', 'team_member.user_id')
    .innerJoin('issue', 'issue.id', 'issue_watch.issue_id')
    .select('team_member.user_id')
    .distinct()
    .where('team_member.team_id', '=', teamId)
    .where('issue.repo_id', '=', repoId)
    .orderBy('team_member.user_id')
    .execute()
  return rows.map((row) => asId(row.user_id))
}

/** Deletes the choices of a user for the issues of repositories. */
export async function deleteIssueWatches(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void> {
  if (repoIds.length === 0) return
  await tx
    .deleteFrom('issue_watch')
    .where('user_id', '=', userId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('issue')
          .select('issue.id')
          .whereRef('issue.id', '=', 'issue_watch.issue_id')
          .where('issue.repo_id', 'in', repoIds),
      ),
    )
    .execute()
}
