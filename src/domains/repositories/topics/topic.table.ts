import type { Generated } from 'kysely'

export interface TopicTable {
  id: Generated<number>
  name: string
  repo_count: Generated<number>
  created_at: number
  updated_at: number
}

/** Used by searches; `repo.topics` contains the same names for presenting. */
export interface RepoTopicTable {
  repo_id: number
  topic_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    repo_topic: RepoTopicTable
    topic: TopicTable
  }
}
