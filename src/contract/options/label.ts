import { Type, type Static } from '@sinclair/typebox'

const Name = Type.String({ maxLength: 255 })
const Color = Type.String({ maxLength: 64, description: 'Three or six hexadecimal digits, with or without #' })

const members = {
  description: Type.Optional(Type.String({ maxLength: 4096 })),
  exclusive: Type.Optional(Type.Boolean()),
  is_archived: Type.Optional(Type.Boolean()),
}

export const CreateLabelOption = Type.Object({ name: Name, color: Color, ...members }, { $id: 'CreateLabelOption' })
export type CreateLabelOption = Static<typeof CreateLabelOption>

export const EditLabelOption = Type.Object({ name: Type.Optional(Name), color: Type.Optional(Color), ...members }, { $id: 'EditLabelOption' })
export type EditLabelOption = Static<typeof EditLabelOption>
