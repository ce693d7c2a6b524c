import { type Static, Type } from '@sinclair/typebox'

export const Label = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    exclusive: Type.Boolean({
      description: 'An issue has at most one of those whose name is the same up to the last slash',
    }),
    is_archived: Type.Boolean(),
    color: Type.String({ description: 'Six hexadecimal digits without #' }),
    description: Type.String(),
    url: Type.String(),
  },
  { $id: 'Label' },
)
export type Label = Static<typeof Label>

const Name = Type.String({ maxLength: 255 })
const Color = Type.String({ maxLength: 64, description: 'Three or six hexadecimal digits, with or without #' })

const members = {
  description: Type.Optional(Type.String({ maxLength: 4096 })),
  exclusive: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
}

export const CreateLabelOption = Type.Object({ name: Name, color: Color, ...members }, { $id: 'CreateLabelOption' })
export type CreateLabelOption = Static<typeof CreateLabelOption>

export const EditLabelOption = Type.Object(
  { name: Type.Optional(Name), color: Type.Optional(Color), ...members },
  { $id: 'EditLabelOption' },
)
export type EditLabelOption = Static<typeof EditLabelOption>
