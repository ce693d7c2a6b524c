import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH, TEXT_LENGTH, LIST_ITEMS, URL_LENGTH } from '../../../core/http/body/limits.ts'
import { GitRefName, OneOf } from '../../../core/http/answer/text.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { TeamModel as Team, UserModel as User } from '../../accounts/index.ts'

export const CreateRepoOption = Type.Object(
  {
    name: Type.String({ maxLength: 100 }),
    description: Type.Optional(Type.String({ maxLength: 2048 })),
    private: Type.Optional(Type.Boolean()),
    auto_init: Type.Optional(Type.Boolean({ description: 'Make a first commit with a README' })),
    gitignores: Type.Optional(
      Type.String({ maxLength: TEXT_LENGTH, description: 'Comma list of template names; with auto_init' }),
    ),
    license: Type.Optional(Type.String({ maxLength: 100, description: 'Template name; with auto_init' })),
    readme: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Template name; with auto_init' })),
    issue_labels: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Name of a label set' })),
    default_branch: Type.Optional(GitRefName({ maxLength: 100 })),
    trust_model: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH, description: 'default, collaborator, committer or collaboratorcommitter' }),
    ),
    object_format_name: Type.Optional(Type.String({ maxLength: 6, description: 'sha1 or sha256' })),
    template: Type.Optional(Type.Boolean()),
    is_template: Type.Optional(Type.Boolean({ description: 'Another name of template' })),
  },
  { $id: 'CreateRepoOption' },
)
export type CreateRepoOption = Static<typeof CreateRepoOption>

export const ReplaceFlagsOption = Type.Object(
  { flags: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })) },
  { $id: 'ReplaceFlagsOption' },
)

const DateTime = Type.String({ format: 'date-time' })

export const Permission = Type.Object(
  { admin: Type.Boolean(), push: Type.Boolean(), pull: Type.Boolean() },
  { $id: 'Permission' },
)
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
    external_tracker_url: Type.String({ maxLength: URL_LENGTH }),
    external_tracker_format: Type.String({ maxLength: URL_LENGTH }),
    external_tracker_style: Type.String({ maxLength: NAME_LENGTH }),
    external_tracker_regexp_pattern: Type.String({ maxLength: NAME_LENGTH }),
  },
  { $id: 'ExternalTracker' },
)
export type ExternalTracker = Static<typeof ExternalTracker>

const ExternalWiki = Type.Object({ external_wiki_url: Type.String({ maxLength: URL_LENGTH }) }, { $id: 'ExternalWiki' })
type ExternalWiki = Static<typeof ExternalWiki>

const RepoTransfer = Type.Object({ doer: User, recipient: User, teams: Type.Array(Team) }, { $id: 'RepoTransfer' })
type RepoTransfer = Static<typeof RepoTransfer>

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
  wiki_ssh_url: Type.String(),
  wiki_clone_url: Type.String(),
  has_wiki_contents: Type.Boolean(),
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
  allow_merge_update: Type.Boolean(),
  allow_rebase_update: Type.Boolean(),
  allow_manual_merge: Type.Boolean(),
  autodetect_manual_merge: Type.Boolean(),
  default_delete_branch_after_merge: Type.Boolean(),
  default_merge_style: Type.String(),
  default_update_style: Type.String(),
  default_allow_maintainer_edit: Type.Boolean(),
  avatar_url: Type.String(),
  internal: Type.Boolean(),
  mirror_interval: Type.String(),
  mirror_updated: DateTime,
  mirror_last_sync_at: Type.String({ format: 'date-time', description: 'The end of the last sync that succeeded' }),
  mirror_last_error: Type.Optional(
    Type.String({ description: 'Why the last sync failed; for administrators of the repository' }),
  ),
  object_format_name: Type.String(),
  topics: Type.Array(Type.String()),
  licenses: Type.Array(Type.String()),
  repo_transfer: Nullable(RepoTransfer),
}

const Members = Type.Object(members)
type RepositoryMembers = Static<typeof Members>

/** `parent` is again a Repository, one level deep. */
export const Repository = Type.Recursive((Self) => Type.Object({ ...members, parent: Nullable(Self) }), {
  $id: 'Repository',
})
export type Repository = RepositoryMembers & { parent: (RepositoryMembers & { parent: null }) | null }

export const ReposDeletion = Type.Object(
  { repositories: Type.Integer({ description: 'The number of repositories that are deleted in the background' }) },
  { $id: 'ReposDeletion' },
)

export const SearchResults = Type.Object({ ok: Type.Boolean(), data: Type.Array(Repository) }, { $id: 'SearchResults' })

export const SearchError = Type.Object({ ok: Type.Boolean(), error: Type.String() }, { $id: 'SearchError' })
export type SearchError = Static<typeof SearchError>

const Switch = Type.Optional(Type.Boolean())
const name = Type.String({ maxLength: 100 })

/** Absent members are not changed. */
export const EditRepoOption = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(Type.String({ maxLength: 2048 })),
    website: Type.Optional(Type.String({ maxLength: 1024 })),
    private: Switch,
    template: Switch,
    is_template: Type.Optional(Type.Boolean({ description: 'Another name of template' })),
    archived: Switch,
    default_branch: Type.Optional(
      GitRefName({ maxLength: 100, description: 'Ignored unless the branch exists or the repository is empty' }),
    ),
    wiki_branch: Type.Optional(GitRefName({ maxLength: 100 })),
    globally_editable_wiki: Switch,
    has_code: Switch,
    has_issues: Switch,
    internal_tracker: Type.Optional(Type.Partial(InternalTracker, { $id: 'InternalTrackerOption' })),
    external_tracker: Type.Optional(Type.Partial(ExternalTracker, { $id: 'ExternalTrackerOption' })),
    has_wiki: Switch,
    external_wiki: Type.Optional(Type.Partial(ExternalWiki, { $id: 'ExternalWikiOption' })),
    has_projects: Switch,
    projects_mode: Type.Optional(OneOf('all', 'repo', 'owner')),
    has_releases: Switch,
    has_packages: Switch,
    has_actions: Switch,
    has_pull_requests: Switch,
    ignore_whitespace_conflicts: Switch,
    allow_merge_commits: Switch,
    allow_rebase: Switch,
    allow_rebase_explicit: Switch,
    allow_merge_update: Switch,
    allow_rebase_update: Switch,
    allow_squash_merge: Switch,
    allow_fast_forward_only_merge: Switch,
    allow_manual_merge: Switch,
    autodetect_manual_merge: Switch,
    default_delete_branch_after_merge: Switch,
    default_allow_maintainer_edit: Switch,
    default_merge_style: Type.Optional(Type.String({ maxLength: 100 })),
    default_update_style: Type.Optional(OneOf('merge', 'rebase')),
    default_target_branch: Type.Optional(Type.String({ maxLength: 255, description: 'Empty: the default branch' })),
    mirror_interval: Type.Optional(Type.String({ maxLength: 100, description: 'Such as 8h30m0s; 0 is by hand only' })),
    enable_prune: Switch,
    mirror_username: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
    mirror_password: Type.Optional(Type.String({ maxLength: URL_LENGTH })),
    mirror_token: Type.Optional(
      Type.String({ maxLength: URL_LENGTH, description: 'In place of a password; the default user name is oauth2' }),
    ),
  },
  { $id: 'EditRepoOption' },
)
export type EditRepoOption = Static<typeof EditRepoOption>
