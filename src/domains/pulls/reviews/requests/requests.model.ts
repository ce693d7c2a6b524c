import { Type } from '@sinclair/typebox'
import { Names } from '../../../../core/http/answer/text.ts'

export const PullReviewRequestOptions = Type.Object(
  {
    reviewers: Type.Optional(Names({ description: 'Logins or e-mail addresses' })),
    team_reviewers: Type.Optional(Names({ description: 'Names of teams of the organization' })),
  },
  { $id: 'PullReviewRequestOptions' },
)
