import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

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

const IssueFormField = Type.Object(
  {
    type: Type.String({ description: 'markdown, textarea, input, dropdown or checkboxes' }),
    id: Type.String(),
    attributes: Type.Record(Type.String(), Type.Unknown()),
    validations: Nullable(Type.Record(Type.String(), Type.Unknown())),
    visible: Type.Array(Type.String()),
  },
  { $id: 'IssueFormField' },
)

export const IssueTemplate = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    about: Type.String(),
    labels: Nullable(Type.Array(Type.String())),
    assignees: Nullable(Type.Array(Type.String())),
    ref: Type.String(),
    content: Type.String({ description: 'Empty for forms' }),
    body: Nullable(Type.Array(IssueFormField)),
    file_name: Type.String(),
  },
  { $id: 'IssueTemplate' },
)
export type IssueTemplate = Static<typeof IssueTemplate>

const IssueConfigContactLink = Type.Object(
  { name: Type.String(), url: Type.String(), about: Type.String() },
  { $id: 'IssueConfigContactLink' },
)

export const IssueConfig = Type.Object(
  { blank_issues_enabled: Type.Boolean(), contact_links: Type.Array(IssueConfigContactLink) },
  { $id: 'IssueConfig' },
)

export const IssueConfigValidation = Type.Object(
  { valid: Type.Boolean(), message: Type.String() },
  { $id: 'IssueConfigValidation' },
)
