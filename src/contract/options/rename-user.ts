import { Type, type Static } from '@sinclair/typebox'

export const RenameUserOption = Type.Object({ new_username: Type.String() }, { $id: 'RenameUserOption' })
export type RenameUserOption = Static<typeof RenameUserOption>
