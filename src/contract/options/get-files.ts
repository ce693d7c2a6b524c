import { Type, type Static } from '@sinclair/typebox'

export const GetFilesOptions = Type.Object({ files: Type.Array(Type.String()) }, { $id: 'GetFilesOptions' })
export type GetFilesOptions = Static<typeof GetFilesOptions>
