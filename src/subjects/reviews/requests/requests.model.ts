import { Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../http/body/limits.ts'

const Names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS, description }))

export const PullReviewRequestOptions = Type.Object(
  {
    reviewers: Names('Logins or e-mail addresses'),
    team_reviewers: Names('Names of teams of the organization'),
  },
  { $id: 'PullReviewRequestOptions' },
)
