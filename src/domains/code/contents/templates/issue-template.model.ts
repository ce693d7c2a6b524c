import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'

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
