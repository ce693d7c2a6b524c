import { sql } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import { asId, type IssueId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { readableIssues } from '../readable-issues.store.ts'
import type { Issue } from '../records/issue.store.ts'

/** A dependency between two issues. */
export interface Pair {
  readonly dependentId: IssueId
  readonly blockerId: IssueId
}

/**
 * The issues that `issue` depends on, readable or not: those of its own repository first, then by repository; newest
 * first within a repository.
 */
export function listBlockerIds(db: Db, issue: Issue, paging: Paging): Promise<Page<IssueId>> {
  const query = db
    .selectFrom('issue_dependency')
    .innerJoin('issue', 'issue.id', 'issue_dependency.depends_on_id')
    .select('issue.id')
    .where('issue_dependency.issue_id', '=', issue.id)
    .orderBy(ownFirst(issue))
    .orderBy('issue.repo_id')
    .orderBy('issue.created_at', 'desc')
    .orderBy('issue.id', 'desc')
  return selectPage(query, paging, (row) => asId<IssueId>(row.id))
}

/** The dependents of `issue` that the viewer may read, in the order of `listBlockerIds`. */
export async function listDependentIds(db: Db, viewer: Viewer, issue: Issue, paging: Paging): Promise<IssueId[]> {
  const rows = await db
    .selectFrom('issue_dependency')
    .innerJoin('issue', 'issue.id', 'issue_dependency.issue_id')
    .innerJoin('repo', 'repo.id', 'issue.repo_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select('issue.id')
    .where('issue_dependency.depends_on_id', '=', issue.id)
    .where((eb) => readableIssues(viewer)(eb as never))
    .orderBy(ownFirst(issue))
    .orderBy('issue.repo_id')
    .orderBy('issue.created_at', 'desc')
    .orderBy('issue.id', 'desc')
    .limit(paging.limit)
    .offset(paging.offset)
    .execute()
  return rows.map((row) => asId(row.id))
}

const ownFirst = ({ repoId }: Issue) => sql`case when issue.repo_id = ${repoId} then 0 else 1 end`

export async function hasDependency(db: Db, { dependentId, blockerId }: Pair): Promise<boolean> {
  const row = await db
    .selectFrom('issue_dependency')
    .select('issue_id')
    .where('issue_id', '=', dependentId)
    .where('depends_on_id', '=', blockerId)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasOpenBlocker(db: Db, issueId: IssueId): Promise<boolean> {
  const row = await db
    .selectFrom('issue_dependency')
    .innerJoin('issue', 'issue.id', 'issue_dependency.depends_on_id')
    .select('issue.id')
    .where('issue_dependency.issue_id', '=', issueId)
    .where('issue.is_closed', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function insertDependency(tx: Tx, { dependentId, blockerId }: Pair, at: number): Promise<void> {
  await tx
    .insertInto('issue_dependency')
    .values({ issue_id: dependentId, depends_on_id: blockerId, created_at: at })
    .execute()
}

/** Returns whether the dependency existed. */
export async function deleteDependency(tx: Tx, { dependentId, blockerId }: Pair): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('issue_dependency')
    .where('issue_id', '=', dependentId)
    .where('depends_on_id', '=', blockerId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
