import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

/**
 * PostgreSQL: columns of text that are sorted by the locale of the database are sorted by bytes, as SQLite sorts. Most
 * locales ignore case and punctuation, so that lists were in another order and ranges of names missed rows. Their
 * indexes are built anew.
 */
export async function sortTextsByBytes({ db, dialect }: Schema): Promise<void> {
  if (dialect === 'sqlite') return
  const { rows } = await sql<{ table: string; column: string }>`
    select c.relname as "table", a.attname as "column" from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and a.atttypid = 'text'::regtype and a.attcollation <> '"C"'::regcollation
    order by c.relname, a.attnum`.execute(db)
  for (const [table, columns] of Map.groupBy(rows, (row) => row.table)) {
    const changes = columns.map(({ column }) => sql`alter column ${sql.ref(column)} type text collate "C"`)
    await sql`alter table ${sql.table(table)} ${sql.join(changes)}`.execute(db)
  }
}
