import type { Generated } from 'kysely'
import type { Flag } from '../../../core/db/flag.ts'

export interface RepoTable {
  id: Generated<number>
  owner_id: number
  name: string
  lower_name: string
  description: Generated<string>
  website: Generated<string>
  default_branch: string
  wiki_branch: string
  /** The tip of the wiki when it was last recorded; empty before the first page. */
  wiki_oid: Generated<string>
  object_format: 'sha1' | 'sha256'
  /** The path of the git data; stays the same when the repository is renamed. */
  storage: string
  is_private: Generated<Flag>
  is_archived: Generated<Flag>
  is_empty: Generated<Flag>
  is_mirror: Generated<Flag>
  is_fork: Generated<Flag>
  is_template: Generated<Flag>
  /** The repository this one was forked from; 0 for none or a lost one. */
  fork_id: Generated<number>
  /** The repository this one was generated from; 0 for none. */
  template_id: Generated<number>
  original_url: Generated<string>
  avatar: Generated<string>
  /** Bit set of the enabled units, see access/units.ts. */
  units: number
  /** Bits that were on when the operator switched their units off everywhere. */
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
