import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { cachedCount } from '../../../../core/db/read-cache.ts'
import type { IssueFilter } from './issue-filter.ts'

/** The repositories whose issues count, as tables `repo` and `owner`, and the kinds that the viewer reads in each. */
interface CountedRepos {
  readonly tables: RawBuilder<unknown>
  readonly condition: RawBuilder<SqlBool>
  readonly reads: { readonly issues: RawBuilder<SqlBool>; readonly pulls: RawBuilder<SqlBool> }
}

/**
 * The number of issues that have a label of this name, counted label by label: whether the viewer reads a repository is
 * asked once for its label, not for each issue. Undefined where an issue could be counted twice, or where an
 * organization shares its label of this name among repositories.
 */
export async function countLabelled(
  db: Db,
  name: string,
  { state, kinds }: Pick<IssueFilter, 'kinds' | 'state'>,
  { tables, condition, reads }: CountedRepos,
): Promise<number | undefined> {
  const named = sql<SqlBool>`label.name = ${name}`
  const ambiguous = sql<number>`select count(*) - count(distinct label.repo_id) from label where ${named}`
  if ((await totalOf(db, ambiguous)) > 0) return undefined
  const ofState = state === 'all' ? sql`` : sql`and found.is_closed = ${sql.lit(state === 'closed' ? 1 : 0)}`
  const counts = (['issues', 'pulls'] as const).flatMap((kind) =>
    kinds[kind]
      ? [
          sql`case when ${reads[kind]} then (select count(*) from issue_label as found where found.label_id = label.id
            and found.repo_id = repo.id ${ofState} and found.is_pull = ${sql.lit(kind === 'pulls' ? 1 : 0)}) else 0 end`,
        ]
      : [],
  )
  return totalOf(
    db,
    sql`select cast(sum(${sql.join(counts, sql` + `)}) as bigint) from label cross join ${tables}
      where ${named} and repo.id = label.repo_id and ${condition}`,
  )
}

const totalOf = (db: Db, query: RawBuilder<unknown>): Promise<number> =>
  cachedCount(db, db.selectNoFrom(sql<number>`coalesce((${query}), 0)`.as('total')))
