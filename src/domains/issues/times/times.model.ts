import { type Static, Type } from '@sinclair/typebox'
import { Timestamp } from '../../../core/http/answer/text.ts'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'

const Time = Type.String({ format: 'date-time' })

export const StopWatch = Type.Object(
  {
    created: Time,
    seconds: Type.Integer(),
    duration: Type.String({ description: 'The seconds in words; empty for none' }),
    issue_index: Type.Integer(),
    issue_title: Type.String(),
    repo_owner_name: Type.String(),
    repo_name: Type.String(),
  },
  { $id: 'StopWatch' },
)
export type StopWatch = Static<typeof StopWatch>

export const AddTimeOption = Type.Object(
  {
    time: Type.Integer({ description: 'Seconds; negative for a correction, never 0' }),
    created: Type.Optional(Timestamp()),
    user_name: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH, description: 'Who spent the time; for administrators' }),
    ),
  },
  { $id: 'AddTimeOption' },
)
export type AddTimeOption = Static<typeof AddTimeOption>
