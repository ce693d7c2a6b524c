import { Type } from '@sinclair/typebox'
import { NAME_LENGTH, PAGE_LENGTH } from '../../../core/http/body/limits.ts'

export const ActionVariable = Type.Object(
  {
    owner_id: Type.Integer({ description: '0 for a variable of a repository' }),
    repo_id: Type.Integer({ description: '0 for a variable of a user or an organization' }),
    name: Type.String({ description: 'In upper case' }),
    data: Type.String({ description: 'The value' }),
    description: Type.String(),
  },
  { $id: 'ActionVariable' },
)

const members = {
  value: Type.String({ maxLength: PAGE_LENGTH, description: 'At most 65536 characters; CRLF becomes LF' }),
  description: Type.Optional(
    Type.String({ maxLength: PAGE_LENGTH, description: 'Cut at 4096 characters; empty when absent' }),
  ),
}

export const CreateVariableOption = Type.Object(members, { $id: 'CreateVariableOption' })

export const UpdateVariableOption = Type.Object(
  { name: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'A new name' })), ...members },
  { $id: 'UpdateVariableOption' },
)
