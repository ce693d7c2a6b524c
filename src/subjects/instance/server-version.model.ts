import { Type, type Static } from '@sinclair/typebox'

export const ServerVersion = Type.Object({ version: Type.String(), Version: Type.String() }, { $id: 'ServerVersion' })
export type ServerVersion = Static<typeof ServerVersion>
