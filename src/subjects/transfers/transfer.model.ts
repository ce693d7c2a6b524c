import { Type, type Static } from '@sinclair/typebox'

export const TransferRepoOption = Type.Object(
  {
    new_owner: Type.String({ 'x-empty': 'allowed' }),
    team_ids: Type.Optional(
      Type.Array(Type.Integer(), {
        description: 'Teams of the new organization that get the repository',
        maxItems: 1000,
        'x-field': 'TeamIDs',
      }),
    ),
  },
  { $id: 'TransferRepoOption' },
)
export type TransferRepoOption = Static<typeof TransferRepoOption>
