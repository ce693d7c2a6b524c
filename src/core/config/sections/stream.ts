import { Type } from '@sinclair/typebox'

export const streamSection = Type.Object(
  {
    max_total: Type.Integer({
      default: 2000,
      minimum: 0,
      description: 'Streams that this process keeps open at once; 0 switches them off.',
    }),
  },
  { additionalProperties: false, description: 'Streams of events and notifications (docs/guide/streams.md).' },
)
