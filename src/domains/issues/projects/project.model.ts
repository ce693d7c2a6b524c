import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { UserModel } from '../../accounts/index.ts'

const Time = Type.String({ format: 'date-time' })

export const Project = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    description: Type.String(),
    type: Type.String({ enum: ['individual', 'repository', 'organization'] }),
    template_type: Type.String({ enum: ['none', 'basic_kanban', 'bug_triage'] }),
    card_type: Type.String({ enum: ['text_only', 'images_and_text'] }),
    owner_id: Type.Integer({ description: '0 for the project of a repository' }),
    repo_id: Type.Integer({ description: '0 for the project of a user or an organization' }),
    creator: UserModel,
    creator_id: Type.Integer({ description: 'Deprecated: see creator' }),
    state: Type.String({ enum: ['open', 'closed'] }),
    is_closed: Type.Boolean({ description: 'Deprecated: see state' }),
    num_issues: Type.Integer({ description: 'Issues and pull requests that the caller may read' }),
    num_open_issues: Type.Integer(),
    num_closed_issues: Type.Integer(),
    html_url: Type.String(),
    created_at: Time,
    updated_at: Time,
    closed_at: Nullable(Time),
  },
  { $id: 'Project' },
)
export type Project = Static<typeof Project>

export const ProjectColumn = Type.Object(
  {
    id: Type.Integer(),
    project_id: Type.Integer(),
    title: Type.String(),
    color: Type.String({ description: '#RRGGBB, or empty' }),
    default: Type.Boolean({ description: 'New issues of the project are in this column' }),
    sorting: Type.Integer(),
    creator: UserModel,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'ProjectColumn' },
)
export type ProjectColumn = Static<typeof ProjectColumn>

const Title = Type.String({ maxLength: NAME_LENGTH })
const Description = Type.String({ maxLength: TEXT_LENGTH })
const CardType = Type.String({ maxLength: NAME_LENGTH, description: 'text_only or images_and_text' })
const Color = Type.String({ maxLength: NAME_LENGTH, description: '#RRGGBB, or empty for none' })
const Sorting = Type.Integer({ minimum: -128, maximum: 127 })

export const CreateProjectOption = Type.Object(
  {
    title: Title,
    description: Type.Optional(Description),
    card_type: Type.Optional(CardType),
    template_type: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH, description: 'none, basic_kanban or bug_triage' }),
    ),
  },
  { $id: 'CreateProjectOption' },
)

export const EditProjectOption = Type.Object(
  {
    title: Type.Optional(Title),
    description: Type.Optional(Description),
    card_type: Type.Optional(CardType),
    state: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'open or closed' })),
  },
  { $id: 'EditProjectOption' },
)

export const CreateProjectColumnOption = Type.Object(
  { title: Title, color: Type.Optional(Color) },
  { $id: 'CreateProjectColumnOption' },
)

export const EditProjectColumnOption = Type.Object(
  { title: Type.Optional(Title), color: Type.Optional(Color), sorting: Type.Optional(Sorting) },
  { $id: 'EditProjectColumnOption' },
)

export const MoveProjectColumnsOption = Type.Object(
  {
    column_ids: Type.Array(Type.Integer(), {
      maxItems: 100,
      description: 'The ids of all columns of the project in their new order',
    }),
  },
  { $id: 'MoveProjectColumnsOption' },
)

export const MoveProjectIssueOption = Type.Object(
  {
    column_id: Type.Integer(),
    sorting: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Position from 0 among the issues of the column that the caller may read; the last by default',
      }),
    ),
  },
  { $id: 'MoveProjectIssueOption' },
)
