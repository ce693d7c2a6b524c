import { Type } from '@sinclair/typebox'

export const Cron = Type.Object(
  {
    name: Type.String(),
    schedule: Type.String(),
    next: Type.String({ format: 'date-time' }),
    prev: Type.String({ format: 'date-time' }),
    exec_times: Type.Integer(),
  },
  { $id: 'Cron' },
)
