import { Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../../core/http/body/limits.ts'

export const ReplaceFlagsOption = Type.Object(
  { flags: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })) },
  { $id: 'ReplaceFlagsOption' },
)
