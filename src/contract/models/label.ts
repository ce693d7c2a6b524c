import { Type, type Static } from '@sinclair/typebox'

export const Label = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    exclusive: Type.Boolean({ description: 'An issue has at most one of those whose name is the same up to the last slash' }),
    is_archived: Type.Boolean(),
    color: Type.String({ description: 'Six hexadecimal digits without #' }),
    description: Type.String(),
    url: Type.String(),
  },
  { $id: 'Label' },
)
export type Label = Static<typeof Label>
