import { Type } from '@sinclair/typebox'

const emails = Type.Optional(Type.Array(Type.String()))

export const CreateEmailOption = Type.Object({ emails }, { $id: 'CreateEmailOption' })

export const DeleteEmailOption = Type.Object({ emails }, { $id: 'DeleteEmailOption' })
