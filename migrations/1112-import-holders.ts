import { addColumn, type Schema } from './_helpers.ts'

/** Which process imports, so that others do not take its import for that of a killed one. */
export const addImportHolders = (schema: Schema): Promise<void> =>
  addColumn(schema, 'unfinished_import', { name: 'holder', type: 'text', initial: '' })
