import { sql, type Expression, type SqlBool } from 'kysely'

/** True if `column`, which has lower-case text, contains `text`; the same on both databases. */
export function containing(column: Expression<string>, text: string): Expression<SqlBool> {
  return containingExactly(column, text.toLowerCase())
}

/** Like `containing`, but case-sensitive: SQLite lowers only ASCII, so text stored as written is compared both ways. */
export function containingExactly(column: Expression<string>, text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<SqlBool>`${column} like ${pattern} escape ${'\\'}`
}
