export interface CollaborationTable {
  repo_id: number
  user_id: number
  mode: number
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    collaboration: CollaborationTable
  }
}
