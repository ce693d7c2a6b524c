import { sql, type Expression, type SqlBool } from 'kysely'

/** True where `column`, which holds lower-case text, contains `text`; the same on both databases. */
export function containing(column: Expression<string>, text: string): Expression<SqlBool> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<SqlBool>`${column} like ${pattern} escape ${'\\'}`
}
