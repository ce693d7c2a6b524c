import { Type } from '@sinclair/typebox'
import { PAGE_LENGTH } from '../../../core/http/body/limits.ts'

export const Secret = Type.Object(
  {
    name: Type.String({ description: 'In upper case' }),
    description: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Secret' },
)

export const CreateOrUpdateSecretOption = Type.Object(
  {
    data: Type.String({ maxLength: PAGE_LENGTH, description: 'The value, at most 65536 bytes' }),
    description: Type.Optional(
      Type.String({ maxLength: PAGE_LENGTH, description: 'Cut at 4096 characters; empty when absent' }),
    ),
  },
  { $id: 'CreateOrUpdateSecretOption' },
)
