export interface StarTable {
  user_id: number
  repo_id: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    star: StarTable
  }
}
