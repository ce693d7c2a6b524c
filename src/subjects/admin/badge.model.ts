import { type Static, Type } from '@sinclair/typebox'

export const Badge = Type.Object(
  { id: Type.Integer(), slug: Type.String(), description: Type.String(), image_url: Type.String() },
  { $id: 'Badge' },
)
export type Badge = Static<typeof Badge>

export const UserBadgeOption = Type.Object({ badge_slugs: Type.Array(Type.String()) }, { $id: 'UserBadgeOption' })
