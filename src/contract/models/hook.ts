import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../nullable.ts'

const Settings = Type.Record(Type.String(), Type.String())

export const Hook = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String(),
    name: Type.String(),
    branch_filter: Type.String(),
    url: Type.String(),
    /** Address, content type and what the type asks for; never the secret. */
    config: Settings,
    content_type: Type.String(),
    metadata: Nullable(Settings),
    events: Type.Array(Type.String()),
    authorization_header: Type.String(),
    active: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Hook' },
)
export type Hook = Static<typeof Hook>
