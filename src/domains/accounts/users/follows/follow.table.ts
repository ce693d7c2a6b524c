export interface FollowTable {
  user_id: number
  followed_id: number
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    follow: FollowTable
  }
}
