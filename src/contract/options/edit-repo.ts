import { Type, type Static } from '@sinclair/typebox'
import { ExternalTracker, ExternalWiki, InternalTracker } from '../models/repository.ts'
import { GitRefName, OneOf } from '../text.ts'

const Switch = Type.Optional(Type.Boolean())
const name = Type.String({ maxLength: 100 })

/** Absent members stay as they are. */
export const EditRepoOption = Type.Object(
  {
    name: Type.Optional(name),
    description: Type.Optional(Type.String({ maxLength: 2048 })),
    website: Type.Optional(Type.String({ maxLength: 1024 })),
    private: Switch,
    template: Switch,
    is_template: Type.Optional(Type.Boolean({ description: 'Another name of template' })),
    archived: Switch,
    default_branch: Type.Optional(GitRefName({ maxLength: 100, description: 'Ignored unless the branch exists or the repository is empty' })),
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
    allow_rebase_update: Switch,
    allow_squash_merge: Switch,
    allow_fast_forward_only_merge: Switch,
    allow_manual_merge: Switch,
    autodetect_manual_merge: Switch,
    default_delete_branch_after_merge: Switch,
    default_allow_maintainer_edit: Switch,
    default_merge_style: Type.Optional(Type.String({ maxLength: 100 })),
    default_target_branch: Type.Optional(Type.String({ maxLength: 255, description: 'Empty: the default branch' })),
    mirror_interval: Type.Optional(Type.String({ maxLength: 100, description: 'Such as 8h30m0s; 0 is by hand only' })),
    enable_prune: Switch,
  },
  { $id: 'EditRepoOption' },
)
export type EditRepoOption = Static<typeof EditRepoOption>
