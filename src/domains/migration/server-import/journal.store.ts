import type { Insertable, Selectable } from 'kysely'
import type { Database } from '../../../core/db/database.ts'
import type { ServerImportTable } from './server-import.table.ts'

export type JournalEntry = Selectable<ServerImportTable>
type Key = Pick<JournalEntry, 'kind' | 'source_id'>

export type Journal = ReturnType<typeof createJournal>

/** The journal of the import of one server, by the ids of its objects. */
export const createJournal = (database: Database, source: string) => ({
  async find({ kind, source_id }: Key): Promise<JournalEntry | undefined> {
    return database.read
      .selectFrom('server_import')
      .selectAll()
      .where('source', '=', source)
      .where('kind', '=', kind)
      .where('source_id', '=', source_id)
      .executeTakeFirst()
  },
  async list(kind: string): Promise<readonly JournalEntry[]> {
    return database.read
      .selectFrom('server_import')
      .selectAll()
      .where('source', '=', source)
      .where('kind', '=', kind)
      .execute()
  },
  async put(entry: Omit<Insertable<ServerImportTable>, 'source'>): Promise<void> {
    await database.transaction((tx) =>
      tx
        .insertInto('server_import')
        .values({ ...entry, source })
        .onConflict((on) => on.columns(['source', 'kind', 'source_id']).doUpdateSet(entry))
        .execute(),
    )
  },
  async delete({ kind, source_id }: Key): Promise<void> {
    await database.transaction((tx) =>
      tx
        .deleteFrom('server_import')
        .where('source', '=', source)
        .where('kind', '=', kind)
        .where('source_id', '=', source_id)
        .execute(),
    )
  },
})
