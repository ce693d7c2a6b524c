import { addColumn, type Schema } from './_helpers.ts'

/** The base for which an approval was given, where the pull request has another one now. */
export async function addFormerBase(schema: Schema): Promise<void> {
  await addColumn(schema, 'review', { name: 'former_base', type: 'text', initial: '' })
}
