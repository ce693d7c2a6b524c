import { addColumn, type Schema } from './_helpers.ts'

export async function addTokenRestrictions(schema: Schema): Promise<void> {
  await addColumn(schema, 'access_token', { name: 'only_repos', type: 'text', initial: '' })
}
