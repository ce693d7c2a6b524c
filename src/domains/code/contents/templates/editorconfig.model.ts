import { Type, type Static } from '@sinclair/typebox'

/** Only the members that apply. */
export const EditorConfig = Type.Object(
  {
    charset: Type.Optional(Type.String()),
    indent_style: Type.Optional(Type.String()),
    indent_size: Type.Optional(Type.String()),
    tab_width: Type.Optional(Type.Integer()),
    end_of_line: Type.Optional(Type.String()),
    trim_trailing_whitespace: Type.Optional(Type.Boolean()),
    insert_final_newline: Type.Optional(Type.Boolean()),
    max_line_length: Type.Optional(Type.String()),
  },
  { $id: 'EditorConfig' },
)
export type EditorConfig = Static<typeof EditorConfig>
