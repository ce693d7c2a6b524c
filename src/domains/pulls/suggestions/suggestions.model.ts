import { Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'

const common = {
  message: Type.Optional(
    Type.String({ maxLength: TEXT_LENGTH, description: 'Of the commit; trailers for the co-authors are added' }),
  ),
  head_commit_id: Type.Optional(
    Type.String({ maxLength: NAME_LENGTH, description: 'The commit that the head branch must point to' }),
  ),
}

export const ApplySuggestionOptions = Type.Object(
  {
    ...common,
    suggestion: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Which suggestion of the comment, from 1; needed where it has several' }),
    ),
  },
  { $id: 'ApplySuggestionOptions' },
)

export const ApplySuggestionsOptions = Type.Object(
  {
    ...common,
    comments: Type.Array(Type.Integer(), {
      minItems: 1,
      maxItems: LIST_ITEMS,
      description: 'Ids of comments of the pull request with one suggestion each',
    }),
  },
  { $id: 'ApplySuggestionsOptions' },
)
