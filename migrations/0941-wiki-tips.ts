import { addColumn, type Schema } from './_helpers.ts'

/** Where the wiki was when it was last recorded, so that what a crash left unrecorded is found. */
export async function addWikiTips(schema: Schema): Promise<void> {
  await addColumn(schema, 'repo', { name: 'wiki_oid', type: 'text', initial: '' })
}
