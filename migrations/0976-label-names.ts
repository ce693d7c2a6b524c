import { createIndex, type Schema } from './_helpers.ts'

/** Searches of all repositories name labels. */
export async function indexLabelNames(schema: Schema): Promise<void> {
  await createIndex(schema, 'label', ['name'])
}
