import { addColumn, type Schema } from './_helpers.ts'

export async function addMirrorWikis(schema: Schema): Promise<void> {
  await addColumn(schema, 'mirror', { name: 'has_wiki', type: 'flag', initial: 0 })
}
