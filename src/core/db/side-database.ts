import type { Transaction } from 'kysely'
import type { Database, Db } from './database.ts'
import type { SideSchema } from './dialect/dialect.ts'
import type { Schema } from './schema.ts'

/** A transaction on the tables of a side database. On PostgreSQL it is one of the main database. */
export type SideTx = Transaction<Schema>

/**
 * Tables that can be computed again from repositories and other rows, such as a search index. On SQLite they are a file
 * of their own, next to the main one, which threads read and write, so that neither requests nor their transactions
 * wait for long statements. On PostgreSQL they are tables of the main database.
 */
export interface SideDatabase {
  /** Reads its own tables and those of the main database. */
  readonly read: Db
  transaction<T>(work: (tx: SideTx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Creates what is missing of the schema. Throws if PostgreSQL refuses a statement. */
export async function openSideDatabase(database: Database, schema: SideSchema): Promise<SideDatabase> {
  const side = await database.dialect.openSide(database.connections, schema)
  return {
    read: side.read,
    transaction: (work) => side.write.transaction().execute(work),
    close: () => side.close(),
  }
}
