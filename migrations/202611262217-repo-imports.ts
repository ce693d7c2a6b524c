import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from './_helpers.ts'

/**
 * Imports with their progress, the ids that they map, and the account that owns a repository until its import is
 * complete. NOTE: names are looked up in lower case, so that no request finds the account by its name.
 */
export async function createRepoImports(schema: Schema): Promise<void> {
  await createTable(schema, 'repo_import', (t) =>
    t
      .id()
      .text('storage')
      .text('reserved_name')
      .text('state')
      .flag('is_async')
      .flag('is_canceled')
      .number('actor_id')
      .number('owner_id')
      .text('name')
      .number('repo_id', 0)
      .text('phase', '')
      .text('cursor', '')
      .text('done', '{}')
      .text('total', '{}')
      .text('warnings', '[]')
      .number('warnings_count', 0)
      .text('error', '')
      .text('request', '')
      .number('created_at')
      .number('updated_at')
      .number('ended_at', 0),
  )
  await createIndex(schema, 'repo_import', ['reserved_name'], { unique: true })
  await createIndex(schema, 'repo_import', ['storage'], { unique: true })
  await createIndex(schema, 'repo_import', ['actor_id'])
  await createIndex(schema, 'repo_import', ['ended_at'])
  await createTable(schema, 'import_key', (t) =>
    t.reference('repo_id', 'repo').text('kind').text('key').number('value').primaryKey('repo_id', 'kind', 'key'),
  )
  await sql`insert into "user" (id, kind, name, lower_name, is_active, is_login_prohibited, created_at, updated_at)
    values (-3, 'bot', 'Importer', 'Importer', 0, 1, 0, 0)`.execute(schema.db)
}
