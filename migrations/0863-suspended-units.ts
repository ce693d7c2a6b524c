import { addColumn, type Schema } from './_helpers.ts'

/** Units that the operator has switched off everywhere; they come back when the operator does. */
export async function addSuspendedUnits(schema: Schema): Promise<void> {
  await addColumn(schema, 'repo', { name: 'suspended_units', type: 'number', initial: 0 })
}
