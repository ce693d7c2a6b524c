import type { Generated } from 'kysely'

export interface BadgeTable {
  id: Generated<number>
  slug: string
  description: Generated<string>
  image_url: Generated<string>
}

export interface UserBadgeTable {
  user_id: number
  badge_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    badge: BadgeTable
    user_badge: UserBadgeTable
  }
}
