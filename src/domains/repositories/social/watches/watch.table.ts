export interface WatchTable {
  user_id: number
  repo_id: number
  /** Chosen by the user, switched on by the server, or refused by the user. */
  mode: 'normal' | 'auto' | 'ignored'
  created_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    watch: WatchTable
  }
}
