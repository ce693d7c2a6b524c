import { Type } from '@sinclair/typebox'

export const ReplaceFlagsOption = Type.Object(
  { flags: Type.Optional(Type.Array(Type.String())) },
  { $id: 'ReplaceFlagsOption' },
)
