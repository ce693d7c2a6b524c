import { Type, type Static } from '@sinclair/typebox'
import { OneOf } from '../text.ts'

export const AddCollaboratorOption = Type.Object({ permission: Type.Optional(OneOf('read', 'write', 'admin')) }, { $id: 'AddCollaboratorOption' })
export type AddCollaboratorOption = Static<typeof AddCollaboratorOption>
