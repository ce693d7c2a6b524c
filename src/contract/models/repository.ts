import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../nullable.ts'
import { Team } from './team.ts'
import { User } from './user.ts'

const DateTime = Type.String({ format: 'date-time' })

export const Permission = Type.Object({ admin: Type.Boolean(), push: Type.Boolean(), pull: Type.Boolean() }, { $id: 'Permission' })
export type Permission = Static<typeof Permission>

export const InternalTracker = Type.Object(
  {
    enable_time_tracker: Type.Boolean(),
    allow_only_contributors_to_track_time: Type.Boolean(),
    enable_issue_dependencies: Type.Boolean(),
  },
  { $id: 'InternalTracker' },
)
export type InternalTracker = Static<typeof InternalTracker>

export const ExternalTracker = Type.Object(
  {
    external_tracker_url: Type.String(),
    external_tracker_format: Type.String(),
    external_tracker_style: Type.String(),
    external_tracker_regexp_pattern: Type.String(),
  },
  { $id: 'ExternalTracker' },
)
export type ExternalTracker = Static<typeof ExternalTracker>

export const ExternalWiki = Type.Object({ external_wiki_url: Type.String() }, { $id: 'ExternalWiki' })
export type ExternalWiki = Static<typeof ExternalWiki>

export const RepoTransfer = Type.Object(
  { doer: User, recipient: User, teams: Type.Array(Team) },
  { $id: 'RepoTransfer' },
)
export type RepoTransfer = Static<typeof RepoTransfer>

const members = {
  id: Type.Integer(),
  owner: User,
  name: Type.String(),
  full_name: Type.String(),
  description: Type.String(),
  empty: Type.Boolean(),
  private: Type.Boolean(),
  fork: Type.Boolean(),
  template: Type.Boolean(),
  mirror: Type.Boolean(),
  size: Type.Integer({ description: 'KiB of git data and LFS objects' }),
  language: Type.String(),
  languages_url: Type.String(),
  html_url: Type.String(),
  url: Type.String(),
  link: Type.String(),
  ssh_url: Type.String(),
  clone_url: Type.String(),
  original_url: Type.String(),
  website: Type.String(),
  stars_count: Type.Integer(),
  forks_count: Type.Integer(),
  watchers_count: Type.Integer(),
  branch_count: Type.Integer(),
  open_issues_count: Type.Integer(),
  open_pr_counter: Type.Integer(),
  release_counter: Type.Integer(),
  default_branch: Type.String(),
  default_target_branch: Type.Optional(Type.String()),
  archived: Type.Boolean(),
  created_at: DateTime,
  updated_at: DateTime,
  archived_at: DateTime,
  permissions: Permission,
  has_code: Type.Boolean(),
  has_issues: Type.Boolean(),
  internal_tracker: Type.Optional(InternalTracker),
  external_tracker: Type.Optional(ExternalTracker),
  has_wiki: Type.Boolean(),
  external_wiki: Type.Optional(ExternalWiki),
  wiki_branch: Type.String(),
  globally_editable_wiki: Type.Boolean(),
  has_pull_requests: Type.Boolean(),
  has_projects: Type.Boolean(),
  projects_mode: Type.String(),
  has_releases: Type.Boolean(),
  has_packages: Type.Boolean(),
  has_actions: Type.Boolean(),
  ignore_whitespace_conflicts: Type.Boolean(),
  allow_merge_commits: Type.Boolean(),
  allow_rebase: Type.Boolean(),
  allow_rebase_explicit: Type.Boolean(),
  allow_squash_merge: Type.Boolean(),
  allow_fast_forward_only_merge: Type.Boolean(),
  allow_rebase_update: Type.Boolean(),
  allow_manual_merge: Type.Boolean(),
  autodetect_manual_merge: Type.Boolean(),
  default_delete_branch_after_merge: Type.Boolean(),
  default_merge_style: Type.String(),
  default_allow_maintainer_edit: Type.Boolean(),
  avatar_url: Type.String(),
  internal: Type.Boolean(),
  mirror_interval: Type.String(),
  mirror_updated: DateTime,
  mirror_last_error: Type.Optional(Type.String({ description: 'Why the last sync failed; for administrators of the repository' })),
  object_format_name: Type.String(),
  topics: Type.Array(Type.String()),
  licenses: Type.Array(Type.String()),
  repo_transfer: Nullable(RepoTransfer),
}

const Members = Type.Object(members)
type RepositoryMembers = Static<typeof Members>

/** `parent` is a Repository again, one level deep. */
export const Repository = Type.Recursive((Self) => Type.Object({ ...members, parent: Nullable(Self) }), { $id: 'Repository' })
export type Repository = RepositoryMembers & { parent: (RepositoryMembers & { parent: null }) | null }
