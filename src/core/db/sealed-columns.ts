import { sql } from 'kysely'
import type { SecretBox } from '../platform/crypto/secret-box.ts'
import type { Database, Db, Tx } from './database.ts'
import type { Schema } from './schema.ts'

type Row = Readonly<Record<string, unknown>>

/** The columns of a table whose texts the secret box has sealed; an empty text means no value. */
export interface SealedColumns {
  readonly table: keyof Schema
  /** The primary key, one column. */
  readonly key: string
  /** The context with which the text of each column was sealed. */
  readonly contexts: Readonly<Record<string, (row: Row) => string>>
}

interface ResealedBatch {
  readonly resealed: number
  /** Primary keys of rows with a text that no known key opens. */
  readonly unreadable: readonly unknown[]
  /** The primary key of the last row; undefined after the last batch. */
  readonly last: unknown
}

const BATCH = 50

/**
 * Reseals with the current key the texts that another key sealed, in the next rows after the primary key `after`. Skips
 * a text that changes at the same time.
 */
export async function resealBatch(
  { database, secrets }: { readonly database: Database; readonly secrets: SecretBox },
  columns: SealedColumns,
  after: unknown,
): Promise<ResealedBatch> {
  const rows = await selectOldRows(database.read, columns, { prefix: secrets.prefix(), after })
  const unreadable: unknown[] = []
  const changes: TextChange[] = []
  for (const row of rows) {
    const opened = openRow(secrets, columns, row)
    if (opened === undefined) unreadable.push(row[columns.key])
    else changes.push(...opened)
  }
  const resealed =
    changes.length === 0 ? 0 : await database.transaction((tx) => replaceTexts(tx, { secrets, columns, changes }))
  return { resealed, unreadable, last: rows.length < BATCH ? undefined : rows.at(-1)![columns.key] }
}

/** Rows with a text that another key sealed, by primary key. */
async function selectOldRows(
  db: Db,
  { table, key, contexts }: SealedColumns,
  { prefix, after }: { readonly prefix: string; readonly after: unknown },
): Promise<readonly Row[]> {
  const old = Object.keys(contexts).map(
    (name) => sql`(${sql.ref(name)} <> '' and ${sql.ref(name)} not like ${`${prefix}%`})`,
  )
  const rest = after === undefined ? sql`` : sql`${sql.ref(key)} > ${after} and`
  const query = sql<Row>`select * from ${sql.table(table)} where ${rest} (${sql.join(old, sql` or `)})
    order by ${sql.ref(key)} limit ${sql.lit(BATCH)}`
  return (await query.execute(db)).rows
}

interface TextChange {
  readonly id: unknown
  readonly column: string
  readonly before: string
  readonly plain: string
  readonly context: string
}

/** Undefined if a text cannot be opened: the row then stays unchanged. */
function openRow(secrets: SecretBox, { key, contexts }: SealedColumns, row: Row): TextChange[] | undefined {
  const prefix = secrets.prefix()
  try {
    return Object.entries(contexts).flatMap(([column, contextOf]) => {
      const before = String(row[column])
      if (before === '' || before.startsWith(prefix)) return []
      const context = contextOf(row)
      return { id: row[key], column, before, plain: secrets.open(before, context), context }
    })
  } catch {
    return undefined
  }
}

interface TextChanges {
  readonly secrets: SecretBox
  readonly columns: SealedColumns
  readonly changes: readonly TextChange[]
}

async function replaceTexts(tx: Tx, { secrets, columns: { table, key }, changes }: TextChanges): Promise<number> {
  let count = 0n
  for (const { id, column, before, plain, context } of changes) {
    const result = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${secrets.seal(plain, context)}
      where ${sql.ref(key)} = ${id} and ${sql.ref(column)} = ${before}`.execute(tx)
    count += result.numAffectedRows ?? 0n
  }
  return Number(count)
}
