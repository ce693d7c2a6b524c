import { addColumn, type Schema } from './_helpers.ts'

/** Who sees a team besides its members and the owners of the organization. */
export const addTeamVisibility = (schema: Schema): Promise<void> =>
  addColumn(schema, 'team', { name: 'visibility', type: 'text', initial: 'private' })
