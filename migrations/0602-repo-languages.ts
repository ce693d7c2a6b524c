import { createTable, type Schema } from './_helpers.ts'

/** What languages a repository was found to be written in, at one commit. */
export async function createRepoLanguages(schema: Schema): Promise<void> {
  await createTable(schema, 'repo_languages', (t) =>
    t.reference('repo_id', 'repo').text('oid').text('bytes', '{}').primaryKey('repo_id'),
  )
}
