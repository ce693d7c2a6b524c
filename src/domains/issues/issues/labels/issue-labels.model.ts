import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from '../../../../core/http/answer/text.ts'
import { LIST_ITEMS, NAME_LENGTH } from '../../../../core/http/body/limits.ts'

const LabelRef = Type.Union([Type.Integer(), Type.String({ maxLength: NAME_LENGTH })], {
  description: 'An id or a name',
  'x-refusal': 'a label must be an integer or a string',
})

export const IssueLabelsOption = Type.Object(
  {
    labels: Type.Optional(
      Type.Array(LabelRef, { maxItems: LIST_ITEMS, 'x-empty-items': 'absent', description: 'All ids, or all names' }),
    ),
    updated_at: Type.Optional(Timestamp()),
  },
  { $id: 'IssueLabelsOption' },
)
export type IssueLabelsOption = Static<typeof IssueLabelsOption>

export const DeleteLabelsOption = Type.Object({ updated_at: Type.Optional(Timestamp()) }, { $id: 'DeleteLabelsOption' })
