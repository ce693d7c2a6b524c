import { Type, type Static } from '@sinclair/typebox'
import { BATCH_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'

export const TransferRepoOption = Type.Object(
  {
    new_owner: Type.String({ maxLength: NAME_LENGTH, 'x-empty': 'allowed' }),
    team_ids: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'Teams of the new organization that get the repository',
        maxItems: BATCH_ITEMS,
        'x-field': 'TeamIDs',
      }),
    ),
  },
  { $id: 'TransferRepoOption' },
)
export type TransferRepoOption = Static<typeof TransferRepoOption>
