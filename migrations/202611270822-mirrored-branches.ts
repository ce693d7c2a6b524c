import { addColumn, type Schema } from './_helpers.ts'

/** The branches that a push mirror gets, and users whose pronouns are not for anonymous viewers. */
export async function addMirroredBranches(schema: Schema): Promise<void> {
  await addColumn(schema, 'push_mirror', { name: 'branch_filter', type: 'text', initial: '' })
  await addColumn(schema, 'user', { name: 'are_pronouns_hidden', type: 'flag', initial: 0 })
}
