import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'

export const Badge = Type.Object(
  { id: Type.Integer(), slug: Type.String(), description: Type.String(), image_url: Type.String() },
  { $id: 'Badge' },
)
export type Badge = Static<typeof Badge>

export const UserBadgeOption = Type.Object(
  { badge_slugs: Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS }) },
  { $id: 'UserBadgeOption' },
)

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
