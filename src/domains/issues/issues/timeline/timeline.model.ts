import { type Static, Type } from '@sinclair/typebox'
import { importedAuthorMembers } from '../../../../core/http/openapi/imported-author.ts'
import { Nullable } from '../../../../core/http/openapi/nullable.ts'
import { Label as LabelModel } from '../../labels/label.model.ts'
import { Milestone as MilestoneModel } from '../../milestones/milestone.model.ts'
import { TeamModel, UserModel } from '../../../accounts/index.ts'
import { Comment } from '../issues.model.ts'
import { Issue } from '../issue.model.ts'

const Time = Type.String({ format: 'date-time' })

export const TrackedTime = Type.Object(
  {
    id: Type.Integer(),
    created: Time,
    time: Type.Integer({ description: 'Seconds' }),
    user_id: Type.Integer(),
    user_name: Type.String(),
    issue_id: Type.Integer(),
    issue: Nullable(Issue),
  },
  { $id: 'TrackedTime' },
)

export const TimelineComment = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String(),
    html_url: Type.String(),
    pull_request_url: Type.String(),
    issue_url: Type.String(),
    user: UserModel,
    ...importedAuthorMembers,
    body: Type.String(),
    commit_id: Type.String({ description: 'The commit that caused the entry; empty if none did' }),
    created_at: Time,
    updated_at: Time,
    old_project_id: Type.Integer(),
    project_id: Type.Integer(),
    old_milestone: Nullable(MilestoneModel),
    milestone: Nullable(MilestoneModel),
    tracked_time: Nullable(TrackedTime),
    old_title: Type.String(),
    new_title: Type.String(),
    old_ref: Type.String(),
    new_ref: Type.String(),
    ref_issue: Nullable(Issue),
    ref_comment: Nullable(Comment),
    ref_action: Type.String({ enum: ['none', 'closes', 'reopens', 'neutered'] }),
    ref_commit_sha: Type.String(),
    review_id: Type.Integer(),
    label: Nullable(LabelModel),
    assignee: Nullable(UserModel),
    assignee_team: Nullable(TeamModel),
    removed_assignee: Type.Boolean(),
    resolve_doer: Nullable(UserModel),
    dependent_issue: Nullable(Issue),
  },
  { $id: 'TimelineComment' },
)
export type TimelineComment = Static<typeof TimelineComment>
