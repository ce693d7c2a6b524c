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
