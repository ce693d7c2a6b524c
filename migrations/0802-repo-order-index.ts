import { createIndex, type Schema } from './_helpers.ts'

/** The order that is asked for most: what moved last, first. */
export async function addRepoOrderIndex(schema: Schema): Promise<void> {
  await createIndex(schema, 'repo', ['updated_at', 'id'])
}
