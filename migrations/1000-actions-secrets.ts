import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createActionsSecrets(schema: Schema): Promise<void> {
  await createTable(schema, 'actions_secret', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .text('name')
      .text('description', '')
      .text('value')
      .number('created_at')
      .number('updated_at'),
  )
  await createTable(schema, 'actions_variable', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .text('name')
      .text('description', '')
      .text('value')
      .number('created_at')
      .number('updated_at'),
  )
  for (const table of ['actions_secret', 'actions_variable']) {
    await sortNamesByBytes(schema, table)
    await createIndex(schema, table, ['repo_id', 'name'], { unique: true })
    await createIndex(schema, table, ['owner_id', 'name'], { unique: true })
  }
}

/** As SQLite sorts: most other orders ignore underscores. */
async function sortNamesByBytes({ db, dialect }: Schema, table: string): Promise<void> {
  if (dialect === 'postgres')
    await sql`alter table ${sql.table(table)} alter column name type text collate "C"`.execute(db)
}
