import { type Static, Type } from '@sinclair/typebox'
import { importedAuthorMembers } from '../../../core/http/openapi/imported-author.ts'
import { Names, Timestamp } from '../../../core/http/answer/text.ts'
import { LIST_ITEMS, NAME_LENGTH, PAGE_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { LabelModel, MilestoneModel } from '../../issues/index.ts'
import { TeamModel, UserModel } from '../../accounts/index.ts'
import { Repository } from '../../repositories/index.ts'

const Time = Type.String({ format: 'date-time' })

const PRBranchInfo = Type.Object(
  {
    label: Type.String(),
    ref: Type.String({ description: 'The branch; `refs/pull/{index}/head` where it is gone' }),
    sha: Type.String({ description: 'The tip; empty where the base branch is gone' }),
    repo_id: Type.Integer({ description: '-1 where the repository was deleted' }),
    repo: Nullable(Type.Unsafe<Repository>(Repository)),
  },
  { $id: 'PRBranchInfo' },
)

export const PullRequest = Type.Object(
  {
    id: Type.Integer(),
    url: Type.String(),
    number: Type.Integer(),
    user: UserModel,
    ...importedAuthorMembers,
    title: Type.String(),
    body: Type.String(),
    labels: Type.Array(LabelModel),
    milestone: Nullable(MilestoneModel),
    assignee: Nullable(UserModel),
    assignees: Type.Array(UserModel),
    requested_reviewers: Type.Array(UserModel),
    requested_reviewers_teams: Type.Array(TeamModel),
    state: Type.String({ enum: ['open', 'closed'] }),
    draft: Type.Boolean(),
    is_locked: Type.Boolean(),
    comments: Type.Integer(),
    review_comments: Type.Optional(Type.Integer({ description: 'Reviews; absent for none' })),
    additions: Type.Optional(Type.Integer({ description: 'Absent in lists' })),
    deletions: Type.Optional(Type.Integer({ description: 'Absent in lists' })),
    changed_files: Type.Optional(Type.Integer({ description: 'Absent in lists' })),
    html_url: Type.String(),
    diff_url: Type.String(),
    patch_url: Type.String(),
    mergeable: Type.Boolean({ description: 'False also while the check runs' }),
    merged: Type.Boolean(),
    merged_at: Nullable(Time),
    merge_commit_sha: Nullable(Type.String()),
    merged_by: Nullable(UserModel),
    allow_maintainer_edit: Type.Boolean(),
    base: PRBranchInfo,
    head: PRBranchInfo,
    merge_base: Type.String(),
    depends_on: Type.Array(Type.Integer(), {
      description: 'Numbers of the open pull requests of which the base is the head; at most 20',
    }),
    due_date: Nullable(Time),
    created_at: Time,
    updated_at: Time,
    closed_at: Nullable(Time),
    pin_order: Type.Integer({ description: 'Position among the pinned ones from 1; 0 if not pinned' }),
    content_version: Type.Integer({ description: 'Increases with every change of the body' }),
    flow: Type.Integer({ description: '1 for a pull request that was created by a push to refs/for; otherwise 0' }),
  },
  { $id: 'PullRequest' },
)
export type PullRequest = Static<typeof PullRequest>

const Login = Type.String({ maxLength: NAME_LENGTH })

export const CreatePullRequestOption = Type.Object(
  {
    head: Type.String({ maxLength: 3 * NAME_LENGTH, description: 'branch, user:branch or user/repo:branch' }),
    base: Type.String({ maxLength: NAME_LENGTH }),
    title: Type.String({ maxLength: 4096, description: 'Cut to 255 bytes' }),
    body: Type.Optional(Type.String({ maxLength: PAGE_LENGTH })),
    assignee: Type.Optional(Login),
    assignees: Type.Optional(Names()),
    labels: Type.Optional(Type.Array(Type.Integer(), { maxItems: LIST_ITEMS, description: 'Ids' })),
    milestone: Type.Optional(Type.Integer()),
    due_date: Type.Optional(Timestamp()),
    reviewers: Type.Optional(Names()),
    team_reviewers: Type.Optional(Names()),
    allow_maintainer_edit: Type.Optional(Type.Boolean()),
  },
  { $id: 'CreatePullRequestOption' },
)
export type CreatePullRequestOption = Static<typeof CreatePullRequestOption>

export const EditPullRequestOption = Type.Object(
  {
    title: Type.Optional(Type.String({ maxLength: 4096, description: 'Cut to 255 bytes' })),
    body: Type.Optional(Type.String({ maxLength: PAGE_LENGTH })),
    base: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'The new base branch' })),
    assignee: Type.Optional(Login),
    assignees: Type.Optional(Names()),
    milestone: Type.Optional(Type.Integer({ description: '0 for no change' })),
    labels: Type.Optional(Type.Array(Type.Integer(), { maxItems: LIST_ITEMS, description: 'Ids' })),
    state: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'open or closed' })),
    due_date: Type.Optional(Timestamp()),
    unset_due_date: Type.Optional(Type.Boolean()),
    allow_maintainer_edit: Type.Optional(Type.Boolean()),
    content_version: Type.Optional(Type.Integer({ description: 'Refused with 409 if the body has another version' })),
  },
  { $id: 'EditPullRequestOption' },
)
export type EditPullRequestOption = Static<typeof EditPullRequestOption>
