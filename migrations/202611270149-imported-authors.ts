import { createIndex, createTable, type Schema } from './_helpers.ts'

/** The authors at other services of what administrators imported, to whom accounts may be linked later. */
export async function createImportedAuthors(schema: Schema): Promise<void> {
  await createTable(schema, 'imported_author', (t) =>
    t.reference('repo_id', 'repo').text('origin').number('author_id').primaryKey('repo_id', 'author_id'),
  )
  await createIndex(schema, 'imported_author', ['origin', 'author_id'])
}
