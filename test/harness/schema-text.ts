import { sql } from 'kysely'
import type { Db } from '../../src/core/db/database.ts'

/** The schema as it is committed in `migrations/schema.<kind>.sql`. */
export const describeSchema = (db: Db, kind: 'sqlite' | 'postgres'): Promise<string> =>
  kind === 'sqlite' ? describeSqlite(db) : describePostgres(db)

async function describeSqlite(db: Db): Promise<string> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where sql is not null and name not like 'kysely%' order by tbl_name, type desc, name
  `.execute(db)
  return rows
    .map((row) => `${row.sql.replaceAll(/\s+/g, ' ').replaceAll(', "', ',\n  "').replace('("', '(\n  "')};\n`)
    .join('\n')
}

async function describePostgres(db: Db): Promise<string> {
  const { rows: columns } = await sql<{ name: string; line: string }>`
    select c.relname as name, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end
      || case when a.attidentity <> '' then ' identity' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
      || case when a.attcollation not in (0, '"C"'::regcollation) then ' collate ' || a.attcollation::regcollation else '' end
      as line
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname not like 'kysely%'
    order by c.relname, a.attnum
  `.execute(db)
  const { rows: others } = await sql<{ name: string; line: string }>`
    select conrelid::regclass::text as name, conname || ' ' || pg_get_constraintdef(oid) as line from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n' and conrelid::regclass::text not like 'kysely%'
    union all
    select tablename, indexdef from pg_indexes where schemaname = 'public' and tablename not like 'kysely%'
    order by 1, 2
  `.execute(db)
  const plain = (name: string): string => name.replaceAll('"', '')
  const byTable = Map.groupBy([...columns, ...others], ({ name }) => plain(name))
  return [...byTable].map(([name, lines]) => `${name}\n${lines.map(({ line }) => `  ${line}\n`).join('')}`).join('\n')
}
