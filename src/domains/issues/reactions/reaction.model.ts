import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { UserModel } from '../../accounts/index.ts'

export const Reaction = Type.Object(
  { user: UserModel, content: Type.String(), created_at: Type.String({ format: 'date-time' }) },
  { $id: 'Reaction' },
)
export type Reaction = Static<typeof Reaction>

export const EditReactionOption = Type.Object(
  { content: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'One of those of /settings/ui' })) },
  { $id: 'EditReactionOption' },
)
