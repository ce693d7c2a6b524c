import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../../src/core/db/database.ts'

export interface ColumnFacts {
  readonly table: string
  readonly column: string
  readonly type: string
  /** Not null. */
  readonly required: boolean
  /** A default or a generated value. */
  readonly filled: boolean
}

export interface SchemaFacts {
  readonly columns: readonly ColumnFacts[]
  readonly unique: readonly { readonly table: string; readonly index: string }[]
  /** References and checks of PostgreSQL; migrations make the same ones on SQLite. */
  readonly constraints: readonly {
    readonly table: string
    readonly name: string
    readonly columns: readonly string[]
  }[]
}

interface ColumnRow {
  table: string
  column: string
  type: string
  required: number
  filled: number
}

/** What a release relies on: columns and unique indexes. */
export async function schemaFacts(db: Db, kind: 'sqlite' | 'postgres'): Promise<SchemaFacts> {
  const columns =
    kind === 'sqlite'
      ? sql<ColumnRow>`select m.name as "table", c.name as "column", c.type, c."notnull" as required,
          c.dflt_value is not null as filled from sqlite_schema m join pragma_table_info(m.name) c
          where m.type = 'table' and m.name not like 'kysely%' and m.name not like 'sqlite%'`
      : sql<ColumnRow>`select t.relname as "table", c.attname as "column", format_type(c.atttypid, c.atttypmod) as type,
          c.attnotnull::int as required, (c.atthasdef or c.attidentity <> '')::int as filled
          from pg_class t join pg_attribute c on c.attrelid = t.oid
          where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and c.attnum > 0 and not c.attisdropped
            and t.relname not like 'kysely%'`
  const unique =
    kind === 'sqlite'
      ? sql<{ table: string; index: string }>`select m.name as "table", i.name as "index" from sqlite_schema m
          join pragma_index_list(m.name) i where m.type = 'table' and i."unique" = 1 and m.name not like 'kysely%'`
      : sql<{ table: string; index: string }>`select tablename as "table", indexname as "index" from pg_indexes
          where schemaname = 'public' and indexdef like 'CREATE UNIQUE%' and tablename not like 'kysely%'`
  const constraints =
    kind === 'sqlite'
      ? []
      : (
          await sql<SchemaFacts['constraints'][number]>`select t.relname as "table", c.conname as name,
            array(select attname::text from pg_attribute where attrelid = t.oid and attnum = any(c.conkey)) as columns
            from pg_constraint c join pg_class t on t.oid = c.conrelid
            where c.connamespace = 'public'::regnamespace and c.contype in ('c', 'f')`.execute(db)
        ).rows
  const rows = (await columns.execute(db)).rows
  return {
    columns: rows.map((row) => ({ ...row, required: row.required === 1, filled: row.filled === 1 })),
    unique: (await unique.execute(db)).rows,
    constraints,
  }
}

/** Why a release that was written for `before` does not run on `after`, one line for each reason. */
export function schemaBreaks(before: SchemaFacts, after: SchemaFacts): string[] {
  const both = tablesOf(before).intersection(tablesOf(after))
  const deleted = [...tablesOf(before).difference(both)].map((table) => `${table} was deleted`)
  const within = (schema: SchemaFacts): SchemaFacts => ({
    columns: schema.columns.filter(({ table }) => both.has(table)),
    unique: schema.unique.filter(({ table }) => both.has(table)),
    constraints: schema.constraints.filter(({ table }) => both.has(table)),
  })
  const [old, now] = [within(before), within(after)]
  return [
    ...deleted,
    ...columnBreaks(old.columns, now.columns),
    ...indexBreaks(old.unique, now.unique),
    ...constraintBreaks(old, now),
  ]
}

const tablesOf = ({ columns }: SchemaFacts): Set<string> => new Set(columns.map(({ table }) => table))
const keyOf = ({ table, column }: ColumnFacts): string => `${table}.${column}`

function columnBreaks(before: readonly ColumnFacts[], after: readonly ColumnFacts[]): string[] {
  const now = new Map(after.map((column) => [keyOf(column), column]))
  const old = new Set(before.map(keyOf))
  const added = after.filter((column) => !old.has(keyOf(column)) && column.required && !column.filled)
  return [
    ...before.flatMap((column) => changesOf(column, now.get(keyOf(column)))),
    ...added.map((column) => `${keyOf(column)} is new, not null and has no default`),
  ]
}

function changesOf(old: ColumnFacts, now: ColumnFacts | undefined): string[] {
  const name = keyOf(old)
  if (now === undefined) return [`${name} was deleted`]
  return [
    ...(now.type === old.type ? [] : [`${name} was ${old.type} and is ${now.type}`]),
    ...(now.required && !old.required ? [`${name} may not be null any more`] : []),
    ...(now.required && old.filled && !now.filled ? [`${name} has no default any more`] : []),
  ]
}

function indexBreaks(before: SchemaFacts['unique'], after: SchemaFacts['unique']): string[] {
  const has = (indexes: SchemaFacts['unique'], wanted: string): boolean => indexes.some(({ index }) => index === wanted)
  return [
    ...before.filter(({ index }) => !has(after, index)).map(({ index, table }) => `${index} of ${table} was unique`),
    ...after
      .filter(({ index }) => !has(before, index))
      .map(({ index, table }) => `${index} of ${table} is new and unique`),
  ]
}

/** NOTE: one on a new column does not matter: the release before leaves the column empty. */
function constraintBreaks(before: SchemaFacts, after: SchemaFacts): string[] {
  const known = new Set(before.constraints.map(({ name }) => name))
  const columns = new Set(before.columns.map(keyOf))
  return after.constraints
    .filter(({ name }) => !known.has(name))
    .filter(({ table, columns: own }) => own.every((column) => columns.has(`${table}.${column}`)))
    .map(({ table, name }) => `${name} of ${table} is a new constraint`)
}

const previous = join(import.meta.dirname, '../upgrade/previous')

interface Release {
  readonly version: string
  /** Commit of this repository: the server that test/upgrade/release-before.test.ts runs. */
  readonly commit: string
  readonly migrations: readonly string[]
}

/** The release that scripts/mark-release.ts was run for last. */
export function previousRelease(): Release {
  return JSON.parse(readFileSync(join(previous, 'release.json'), 'utf8'))
}

export const previousSchema = (kind: 'sqlite' | 'postgres'): string =>
  readFileSync(join(previous, `schema.${kind}.sql`), 'utf8')

/** The recorded statements of that release, as a database can prepare them. */
export const previousStatements = (): string[] =>
  readFileSync(join(previous, 'statements.sql'), 'utf8').split('\n').filter(Boolean).map(preparable)

/** Undoes what `normaliseSql` does: lists get two members, rows of an insert as many as it has columns. */
const preparable = (text: string): string =>
  text
    .replace(/;$/, '')
    .replaceAll('), ...', ')')
    .replace(
      /^(insert into "?\w+"? \(([^)]*)\) values )\(\?, \.\.\.\)/,
      (_, head: string, columns: string) => `${head}(${columns.replaceAll(/[^,]+/g, '?')})`,
    )
    .replaceAll('(?, ...)', '(?, ?)')
    .replaceAll(/\b(limit|offset) N\b/g, '$1 1')

/** The statements that an SQLite file cannot prepare. */
export function unusableOnSqlite(file: string, statements: readonly string[]): string[] {
  const database = new Sqlite(file)
  const fails = (statement: string): boolean => {
    try {
      database.prepare(statement)
      return false
    } catch {
      return true
    }
  }
  const failed = statements.filter(fails)
  database.close()
  return failed
}

/** The statements, which were recorded on SQLite, that PostgreSQL cannot prepare. */
export async function unusableOnPostgres(url: string, statements: readonly string[]): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const failed: string[] = []
  for (const [index, statement] of statements.entries()) {
    let parameters = 0
    const text = statement.replaceAll('?', () => `$${++parameters}`)
    await client.query(`prepare s${index} as ${text}`).catch(() => failed.push(statement))
  }
  await client.end()
  return failed
}
