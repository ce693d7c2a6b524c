import { Type } from '@sinclair/typebox'

export const UserBadgeOption = Type.Object({ badge_slugs: Type.Array(Type.String()) }, { $id: 'UserBadgeOption' })
