import { type Static, Type } from '@sinclair/typebox'
import { RepositoryMeta } from '../../../core/access/repo-meta.model.ts'
import { Names, Timestamp } from '../../../core/http/answer/text.ts'
import { LIST_ITEMS, NAME_LENGTH, PAGE_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { AttachmentModel } from '../../repositories/index.ts'
import { Label as LabelModel } from '../labels/label.model.ts'
import { Milestone as MilestoneModel } from '../milestones/milestone.model.ts'
import { Project } from '../projects/project.model.ts'
import { UserModel } from '../../accounts/index.ts'

const Time = Type.String({ format: 'date-time' })

const PullRequestMeta = Type.Object(
  { merged: Type.Boolean(), merged_at: Nullable(Time), draft: Type.Boolean(), html_url: Type.String() },
  { $id: 'PullRequestMeta' },
)

export const Issue = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    html_url: Type.String(),
    number: Type.Integer(),
    user: UserModel,
    original_author: Type.String(),
    original_author_id: Type.Integer(),
    title: Type.String(),
    body: Type.String(),
    ref: Type.String(),
    assets: Type.Array(AttachmentModel),
    labels: Type.Array(LabelModel),
    milestone: Nullable(MilestoneModel),
    projects: Type.Array(Project),
    assignee: Nullable(UserModel),
    assignees: Nullable(Type.Array(UserModel)),
    state: Type.String({ enum: ['open', 'closed'] }),
    is_locked: Type.Boolean(),
    comments: Type.Integer(),
    created_at: Time,
    updated_at: Time,
    closed_at: Nullable(Time),
    due_date: Nullable(Time),
    pull_request: Nullable(PullRequestMeta),
    repository: RepositoryMeta,
    pin_order: Type.Integer({ description: 'Position among the pinned ones from 1; 0 if not pinned' }),
    content_version: Type.Integer({ description: 'Increases with every change of the body' }),
    time_estimate: Type.Integer({ description: 'Seconds' }),
  },
  { $id: 'Issue' },
)
export type Issue = Static<typeof Issue>

const Title = Type.String({ maxLength: 4096, description: 'Cut to 255 bytes' })
const Body = Type.String({ maxLength: PAGE_LENGTH })
const Ref = Type.String({ maxLength: NAME_LENGTH })
const Login = Type.String({ maxLength: NAME_LENGTH })

export const CreateIssueOption = Type.Object(
  {
    title: Title,
    body: Type.Optional(Body),
    ref: Type.Optional(Ref),
    assignee: Type.Optional(Login),
    assignees: Type.Optional(Names()),
    due_date: Type.Optional(Timestamp()),
    milestone: Type.Optional(Type.Integer()),
    labels: Type.Optional(Type.Array(Type.Integer(), { maxItems: LIST_ITEMS, description: 'Ids' })),
    closed: Type.Optional(Type.Boolean()),
    projects: Type.Optional(Type.Array(Type.Integer(), { maxItems: LIST_ITEMS, description: 'Ids' })),
  },
  { $id: 'CreateIssueOption' },
)
export type CreateIssueOption = Static<typeof CreateIssueOption>

export const EditIssueOption = Type.Object(
  {
    title: Type.Optional(Title),
    body: Type.Optional(Body),
    ref: Type.Optional(Ref),
    assignee: Type.Optional(Login),
    assignees: Type.Optional(Names()),
    milestone: Type.Optional(Type.Integer({ description: '0 for none' })),
    state: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'open or closed' })),
    due_date: Type.Optional(Timestamp()),
    unset_due_date: Type.Optional(Type.Boolean()),
    updated_at: Type.Optional(Timestamp()),
    projects: Type.Optional(
      Type.Array(Type.Integer(), { maxItems: LIST_ITEMS, description: 'Ids that replace all projects' }),
    ),
    content_version: Type.Optional(Type.Integer({ description: 'Refused with 409 if the body has another version' })),
  },
  { $id: 'EditIssueOption' },
)
export type EditIssueOption = Static<typeof EditIssueOption>

export const EditDeadlineOption = Type.Object({ due_date: Type.Optional(Timestamp()) }, { $id: 'EditDeadlineOption' })

export const IssueDeadline = Type.Object({ due_date: Time }, { $id: 'IssueDeadline' })
