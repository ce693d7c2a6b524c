import { Type, type Static } from '@sinclair/typebox'
import { LinkUrl, OneOf } from '../text.ts'

export const CreateStatusOption = Type.Object(
  {
    state: OneOf('pending', 'success', 'error', 'failure', 'warning', 'skipped'),
    target_url: Type.Optional(LinkUrl({ maxLength: 2048, 'x-field': 'TargetURL', description: 'Where the result is shown: an http(s) address, or a path of this server' })),
    description: Type.Optional(Type.String({ maxLength: 4096 })),
    context: Type.Optional(Type.String({ maxLength: 1024, description: 'What reports: later results of the same context take the place of earlier ones' })),
  },
  { $id: 'CreateStatusOption' },
)
export type CreateStatusOption = Static<typeof CreateStatusOption>
