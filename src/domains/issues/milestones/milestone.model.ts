import { type Static, Type } from '@sinclair/typebox'
import { OneOf, Timestamp } from '../../../core/http/answer/text.ts'
import { NAME_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

const Time = Type.String({ format: 'date-time' })

export const Milestone = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    description: Type.String(),
    state: OneOf('open', 'closed'),
    open_issues: Type.Integer({ description: 'Open issues and pull requests' }),
    closed_issues: Type.Integer({ description: 'Closed issues and pull requests' }),
    created_at: Time,
    updated_at: Time,
    closed_at: Nullable(Time),
    due_on: Nullable(Time),
  },
  { $id: 'Milestone' },
)
export type Milestone = Static<typeof Milestone>

const Title = (description: string) => Type.Optional(Type.String({ maxLength: NAME_LENGTH, description }))
const Due = (description: string) => Type.Optional(Timestamp({ description: `In the years 1 to 9999. ${description}` }))
const members = {
  description: Type.Optional(Type.String({ maxLength: TEXT_LENGTH })),
  state: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'closed; anything else is open' })),
}

export const CreateMilestoneOption = Type.Object(
  {
    title: Title('Need not be unique; spaces at its ends are cut off'),
    ...members,
    due_on: Due('Without one, or 0001-01-01T00:00:00Z: no due date'),
  },
  { $id: 'CreateMilestoneOption' },
)
export type CreateMilestoneOption = Static<typeof CreateMilestoneOption>

export const EditMilestoneOption = Type.Object(
  {
    title: Title('Empty: unchanged'),
    ...members,
    due_on: Due('0001-01-01T00:00:00Z deletes the due date'),
  },
  { $id: 'EditMilestoneOption' },
)
export type EditMilestoneOption = Static<typeof EditMilestoneOption>
