import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS } from '../../../../core/http/body/limits.ts'

export const Email = Type.Object(
  {
    email: Type.String(),
    verified: Type.Boolean(),
    primary: Type.Boolean(),
    user_id: Type.Integer(),
    username: Type.String(),
  },
  { $id: 'Email' },
)
export type Email = Static<typeof Email>

const emails = Type.Optional(Type.Array(Type.String({ maxLength: 254 }), { maxItems: LIST_ITEMS }))

export const CreateEmailOption = Type.Object({ emails }, { $id: 'CreateEmailOption' })

export const DeleteEmailOption = Type.Object({ emails }, { $id: 'DeleteEmailOption' })
