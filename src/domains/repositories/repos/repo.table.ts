import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface RepoFlagTable {
  repo_id: number
  name: string
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    repo_flag: RepoFlagTable
  }
}

/** A pull mirror. Times are epoch milliseconds. */
export interface MirrorTable {
  repo_id: number
  /** Milliseconds between two syncs; 0 for manual syncs only. */
  interval: Generated<number>
  is_pruning: Generated<Flag>
  synced_at: Generated<number>
  /** 0 for manual syncs only. */
  next_sync_at: Generated<number>
  /** The address without credentials. */
  remote_url: Generated<string>
  /** Encrypted; empty for none. */
  credentials: Generated<string>
  /** The branch of the remote's HEAD at the last sync. */
  remote_head: Generated<string>
  /** Whether the wiki is mirrored too; otherwise it is the repository's own. */
  has_wiki: Generated<Flag>
  /** Whether LFS objects are mirrored too, from `lfs_endpoint` (encrypted) if it is set. */
  has_lfs: Generated<Flag>
  lfs_endpoint: Generated<string>
  /** Whether LFS objects are missing: the next sync then searches the whole history. */
  lfs_pending: Generated<Flag>
  /** The error of the last sync; empty if it succeeded. */
  last_error: Generated<string>
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    mirror: MirrorTable
  }
}

/** A branch after the last push. Refs on disk are authoritative; `repo.reconcile` corrects these rows. */
export interface BranchTable {
  id: Generated<number>
  repo_id: number
  name: string
  oid: string
  pusher_id: number
  /** A `CredentialRestriction` of the push, as JSON; empty for none. */
  pusher_restriction: Generated<string>
  updated_at: number
}

export interface PushTable {
  id: Generated<number>
  repo_id: number
  pusher_id: number
  ref: string
  old_oid: string
  new_oid: string
  created_at: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    branch: BranchTable
    push: PushTable
  }
}

export interface RepoTable {
  id: Generated<number>
  owner_id: number
  name: string
  lower_name: string
  description: Generated<string>
  website: Generated<string>
  default_branch: string
  wiki_branch: string
  /** The last recorded tip of the wiki; empty before the first page. */
  wiki_oid: Generated<string>
  object_format: 'sha1' | 'sha256'
  /** The path of the git data; unchanged when the repository is renamed. */
  storage: string
  is_private: Generated<Flag>
  is_archived: Generated<Flag>
  is_empty: Generated<Flag>
  is_mirror: Generated<Flag>
  is_fork: Generated<Flag>
  is_template: Generated<Flag>
  /** The repository that this one was forked from; 0 for none or a deleted one. */
  fork_id: Generated<number>
  /** The repository that this one was generated from; 0 for none. */
  template_id: Generated<number>
  original_url: Generated<string>
  avatar: Generated<string>
  /** A bit set of the enabled units, see access/units.ts. */
  units: number
  /** Bits that were set before the operator disabled their units on the whole server. */
  suspended_units: Generated<number>
  /** JSON: settings of the units, see repo-settings.ts. */
  settings: Generated<string>
  trust_model: Generated<string>
  /** JSON array, sorted by name. */
  topics: Generated<string>
  /** JSON array of SPDX ids. */
  licenses: Generated<string>
  primary_language: Generated<string>
  /** Bytes of git data, and of LFS objects. */
  git_size: Generated<number>
  lfs_size: Generated<number>
  stars_count: Generated<number>
  forks_count: Generated<number>
  watchers_count: Generated<number>
  branches_count: Generated<number>
  releases_count: Generated<number>
  open_issues_count: Generated<number>
  closed_issues_count: Generated<number>
  open_pulls_count: Generated<number>
  closed_pulls_count: Generated<number>
  created_at: number
  updated_at: number
  pushed_at: Generated<number>
  archived_at: Generated<number>
}

export interface RepoRedirectTable {
  owner_id: number
  lower_name: string
  repo_id: number
}

declare module '../../../core/db/schema.ts' {
  interface Schema {
    repo: RepoTable
    repo_redirect: RepoRedirectTable
  }
}
