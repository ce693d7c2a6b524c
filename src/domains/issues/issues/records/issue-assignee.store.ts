import { sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type RepoId, type TeamId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { copiesOf, type IssueCopies } from './records.store.ts'
import type { Issue } from './issue.store.ts'

/** The ids of the assignees of each issue, in display order. */
export async function listAssigneeIds(db: Db, issueIds: readonly IssueId[]): Promise<Map<IssueId, UserId[]>> {
  if (issueIds.length === 0) return new Map()
  const rows = await cachedUntilCommit(db, `issue_assignee ${issueIds.join()}`, () => assigneesOf(db, { issueIds }))
  const byIssue = Map.groupBy(rows, (row) => asId<IssueId>(row.issue_id))
  return new Map([...byIssue].map(([id, own]) => [id, own.map((row) => asId<UserId>(row.user_id))]))
}

const assigneesOf = defineQuery((db, { issueIds }: { issueIds: readonly IssueId[] }) =>
  db
    .selectFrom('issue_assignee')
    .select(['issue_id', 'user_id'])
    .where('issue_id', 'in', issueIds)
    .orderBy('issue_id')
    .orderBy('position'),
)

/** Appends assignees in this order. */
export async function insertAssignees(tx: Tx, issue: Issue, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  const added = userIds.map((userId, index) => ({ user_id: userId, place: index + 1 }))
  await insertion(tx, { added, ...copiesOf(issue) })
}

type NewAssignees = IssueCopies & { readonly added: readonly { readonly user_id: UserId; readonly place: number }[] }

/** NOTE: SQLite may count the rows that the statement has already inserted, which leaves gaps between positions. */
const insertion = defineQuery((db, { added, ...copies }: NewAssignees) =>
  db
    .insertInto('issue_assignee')
    .values(
      added.map(({ user_id, place }) => ({
        ...copies,
        user_id,
        position: sql<number>`(select coalesce(max(position), 0) from issue_assignee where issue_id = ${copies.issue_id}) + ${place}`,
      })),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

export async function deleteAssignees(tx: Tx, issueId: IssueId, userIds: readonly UserId[]): Promise<void> {
  if (userIds.length === 0) return
  await tx.deleteFrom('issue_assignee').where('issue_id', '=', issueId).where('user_id', 'in', userIds).execute()
}

/** The repositories of an owner in which issues are assigned to the user, including hidden ones. */
export const listAssignedRepos = (db: Db, userId: UserId, ownerId: UserId): Promise<Repo[]> =>
  repoQueries.listAmong(db, ownerId, db.selectFrom('issue_assignee').select('repo_id').where('user_id', '=', userId))

/** The members of a team who are assigned to issues of the repository. */
export async function listTeamAssignees(db: Db, teamId: TeamId, repoId: RepoId): Promise<UserId[]> {
  const rows = await db
    .selectFrom('team_member')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('issue_assignee')
          .select('issue_assignee.issue_id')
          .where('issue_assignee.repo_id', '=', repoId)
          .whereRef('issue_assignee.user_id', '=', 'team_member.user_id'),
      ),
    )
    .orderBy('user_id')
    .execute()
  return rows.map((row) => asId(row.user_id))
}

/** Deletes the assignments of a user in repositories. */
export async function deleteAssignments(tx: Tx, userId: UserId, repoIds: readonly RepoId[]): Promise<void> {
  if (repoIds.length === 0) return
  await tx.deleteFrom('issue_assignee').where('user_id', '=', userId).where('repo_id', 'in', repoIds).execute()
}

/** The users to whom issues and pull requests of the repository are assigned. */
export async function listRepoAssigneeIds(db: Db, repoId: RepoId): Promise<UserId[]> {
  const rows = await db
    .selectFrom('issue_assignee')
    .select('user_id')
    .distinct()
    .where('repo_id', '=', repoId)
    .execute()
  return rows.map((row) => asId(row.user_id))
}
