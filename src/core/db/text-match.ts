import { sql, type Expression, type SqlBool } from 'kysely'

/** True where `column`, which has lower-case text, contains `text`; the same on both databases. */
export function containing(column: Expression<string>, text: string): Expression<SqlBool> {
  return containingExactly(column, text.toLowerCase())
}

/**
 * As containing, the text as it is: SQLite lowers nothing but ASCII, so that texts kept as written are compared both
 * ways.
 */
export function containingExactly(column: Expression<string>, text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<SqlBool>`${column} like ${pattern} escape ${'\\'}`
}
