import { Type, type Static } from '@sinclair/typebox'

export const CreateForkOption = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 100, description: 'Else that of the base' })),
    organization: Type.Optional(Type.String({ maxLength: 100, description: 'Owner of the fork, else the caller' })),
  },
  { $id: 'CreateForkOption' },
)
export type CreateForkOption = Static<typeof CreateForkOption>
