import type { Generated } from 'kysely'

/** An action of a user in a repository: one entry of feeds. */
export interface ActivityTable {
  id: Generated<number>
  /** The event it belongs to, and its position among the entries of that event. */
  event_id: number
  position: Generated<number>
  /** One of the contract's words, such as `create_repo`. */
  op_type: string
  actor_id: number
  repo_id: number
  /** Full name of the ref, where there is one. */
  ref_name: Generated<string>
  /** As clients parse it: JSON of commits, `index|text` of issues, an old name. */
  content: Generated<string>
  /** Of activities on an issue or pull request; 0 for others. */
  issue_id: Generated<number>
  /** The comment that the activity made; 0 for none. */
  comment_id: Generated<number>
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    activity: ActivityTable
  }
}

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

export interface WatchTable {
  user_id: number
  repo_id: number
  /** Chosen by the user, switched on by the server, or refused by the user. */
  mode: 'normal' | 'auto' | 'ignored'
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    watch: WatchTable
  }
}
