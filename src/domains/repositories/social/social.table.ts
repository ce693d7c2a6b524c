import type { Generated } from 'kysely'

/** An action of a user in a repository: one entry of feeds. */
export interface ActivityTable {
  id: Generated<number>
  /** The event of the entry, and the position of the entry among those of that event. */
  event_id: number
  position: Generated<number>
  /** A term of the API, such as `create_repo`. */
  op_type: string
  actor_id: number
  repo_id: number
  /** The full name of the ref, if there is one. */
  ref_name: Generated<string>
  /** The format that clients parse: JSON of commits, `index|text` of issues, an old name. */
  content: Generated<string>
  /** The issue or pull request of the activity; 0 for others. */
  issue_id: Generated<number>
  /** The comment that the activity created; 0 for none. */
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
  /** Chosen by the user, enabled by the server, or declined by the user. */
  mode: 'normal' | 'auto' | 'ignored'
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    watch: WatchTable
  }
}
