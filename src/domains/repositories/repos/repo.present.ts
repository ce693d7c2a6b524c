import { flatText } from '../../../core/platform/flat-text.ts'
import { presentablePermissions, hasUnit } from '../../../core/access/repo-access.ts'
import { repoUrls } from '../../../core/access/repo-urls.ts'
import { EPOCH_TIME, wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import { formatDuration } from '../../../core/platform/duration.ts'
import type { Site } from '../../../core/platform/site.ts'
import { userPresenters } from '../../accounts/index.ts'
import { parseRepoSettings, type PullSettings, type RepoSettings } from './repo-settings.ts'
import type { Repo } from './repo.store.ts'
import type { ExternalTracker, InternalTracker, Permission, Repository } from './repos.model.ts'
import type { RepoView } from './lookup.ts'

/**
 * Presents a repository with all computed members (behaviour/repositories#the-repository-object). The owner is
 * presented as an ordinary viewer sees it.
 */
export function presentRepo(view: RepoView, site: Site): Repository {
  const permissions = presentablePermissions(view.access)
  const parent = view.parent && {
    ...members(view.parent, permissions, undefined, site),
    repo_transfer: null,
    parent: null,
  }
  const { transfer } = view
  return {
    ...members(view.repo, permissions, view.mirror, site),
    repo_transfer: transfer
      ? {
          doer: userPresenters.presentOther(transfer.doer, site),
          recipient: userPresenters.presentOther(transfer.recipient, site),
          teams: [],
        }
      : null,
    parent: parent ?? null,
  }
}

type Members = Omit<Repository, 'parent' | 'repo_transfer'>

function members(repo: Repo, permissions: Permission, mirror: RepoView['mirror'], site: Site): Members {
  const settings = parseRepoSettings(repo.settings)
  const urls = repoUrls(repo, site)
  return {
    id: repo.id,
    owner: userPresenters.presentOther(repo.owner, site),
    name: repo.name,
    full_name: repo.fullName,
    description: repo.description,
    empty: repo.isEmpty,
    private: repo.isPrivate,
    fork: repo.isFork,
    template: repo.isTemplate,
    mirror: repo.isMirror,
    size: Math.floor((repo.gitSize + repo.lfsSize) / 1024),
    language: repo.primaryLanguage ?? '',
    languages_url: flatText(urls.api, '/languages'),
    html_url: urls.html,
    url: urls.api,
    link: '',
    ssh_url: flatText(site.sshPrefix(), repo.fullName, '.git'),
    clone_url: flatText(urls.html, '.git'),
    wiki_ssh_url: flatText(site.sshPrefix(), repo.fullName, '.wiki.git'),
    wiki_clone_url: flatText(urls.html, '.wiki.git'),
    has_wiki_contents: repo.wikiOid !== undefined,
    original_url: repo.originalUrl ?? '',
    website: repo.website,
    stars_count: repo.starsCount,
    forks_count: repo.forksCount,
    watchers_count: repo.watchersCount,
    branch_count: repo.branchesCount,
    open_issues_count: repo.openIssuesCount,
    open_pr_counter: repo.openPullsCount,
    release_counter: repo.releasesCount,
    default_branch: repo.defaultBranch,
    archived: repo.isArchived,
    created_at: wireTime(repo.createdAt),
    updated_at: wireTime(repo.updatedAt),
    archived_at: repo.archivedAt === undefined ? EPOCH_TIME : wireTime(repo.archivedAt),
    permissions,
    ...units(repo, settings),
    ...pulls(hasUnit(repo.units, 'repo.pulls') ? settings.pulls : undefined),
    avatar_url: repo.avatar === undefined ? '' : `${site.rootUrl()}/repo-avatars/${repo.avatar}`,
    internal: !repo.isPrivate && repo.owner.visibility === 'private',
    mirror_interval: mirror === undefined ? '' : formatDuration(mirror.interval),
    mirror_updated: mirror === undefined ? ZERO_TIME : wireTime(mirror.syncedAt),
    mirror_last_sync_at: mirror === undefined ? ZERO_TIME : wireTime(mirror.syncedAt),
    ...(permissions.admin && mirror && mirror.lastError !== '' ? { mirror_last_error: mirror.lastError } : {}),
    object_format_name: repo.objectFormat,
    topics: [...repo.topics],
    licenses: [...repo.licenses],
  }
}

type UnitMembers = Pick<
  Repository,
  | 'has_code'
  | 'has_issues'
  | 'has_wiki'
  | 'has_pull_requests'
  | 'has_projects'
  | 'has_releases'
  | 'has_packages'
  | 'has_actions'
  | 'projects_mode'
  | 'wiki_branch'
  | 'globally_editable_wiki'
  | 'internal_tracker'
  | 'external_tracker'
  | 'external_wiki'
>

/** The enabled units, independent of the permissions of the viewer. */
function units({ units: set, wikiBranch }: Repo, settings: RepoSettings): UnitMembers {
  const internalIssues = hasUnit(set, 'repo.issues')
  const externalIssues = hasUnit(set, 'repo.ext_issues')
  const externalWiki = hasUnit(set, 'repo.ext_wiki')
  return {
    has_code: hasUnit(set, 'repo.code'),
    has_issues: internalIssues || externalIssues,
    ...(internalIssues ? { internal_tracker: internalTracker(settings) } : {}),
    ...(externalIssues ? { external_tracker: externalTracker(settings) } : {}),
    has_wiki: hasUnit(set, 'repo.wiki') || externalWiki,
    ...(externalWiki ? { external_wiki: { external_wiki_url: settings.externalWikiUrl } } : {}),
    wiki_branch: wikiBranch,
    globally_editable_wiki: settings.globallyEditableWiki,
    has_pull_requests: hasUnit(set, 'repo.pulls'),
    has_projects: hasUnit(set, 'repo.projects'),
    projects_mode: settings.projectsMode,
    has_releases: hasUnit(set, 'repo.releases'),
    has_packages: hasUnit(set, 'repo.packages'),
    has_actions: hasUnit(set, 'repo.actions'),
  }
}

const internalTracker = ({ internalTracker: own }: RepoSettings): InternalTracker => ({
  enable_time_tracker: own.timeTracker,
  allow_only_contributors_to_track_time: own.onlyContributorsTrackTime,
  enable_issue_dependencies: own.issueDependencies,
})

const externalTracker = ({ externalTracker: own }: RepoSettings): ExternalTracker => ({
  external_tracker_url: own.url,
  external_tracker_format: own.format,
  external_tracker_style: own.style,
  external_tracker_regexp_pattern: own.regexp,
})

/** If pull requests are disabled, all settings are off except manual merges. */
const NO_PULLS = pulls({
  ignoreWhitespaceConflicts: false,
  allowMerge: false,
  allowRebase: false,
  allowRebaseMerge: false,
  allowSquash: false,
  allowFastForwardOnly: false,
  allowMergeUpdate: false,
  allowRebaseUpdate: false,
  allowManualMerge: true,
  autodetectManualMerge: false,
  deleteBranchAfterMerge: false,
  allowMaintainerEdit: false,
  defaultMergeStyle: 'merge',
  defaultUpdateStyle: 'merge',
  defaultTargetBranch: '',
})

type PullMembers = Pick<
  Repository,
  | 'ignore_whitespace_conflicts'
  | 'allow_merge_commits'
  | 'allow_rebase'
  | 'allow_rebase_explicit'
  | 'allow_squash_merge'
  | 'allow_fast_forward_only_merge'
  | 'allow_merge_update'
  | 'allow_rebase_update'
  | 'allow_manual_merge'
  | 'autodetect_manual_merge'
  | 'default_delete_branch_after_merge'
  | 'default_merge_style'
  | 'default_update_style'
  | 'default_allow_maintainer_edit'
  | 'default_target_branch'
>

function pulls(settings: PullSettings | undefined): PullMembers {
  if (settings === undefined) return NO_PULLS
  return {
    ignore_whitespace_conflicts: settings.ignoreWhitespaceConflicts,
    allow_merge_commits: settings.allowMerge,
    allow_rebase: settings.allowRebase,
    allow_rebase_explicit: settings.allowRebaseMerge,
    allow_squash_merge: settings.allowSquash,
    allow_fast_forward_only_merge: settings.allowFastForwardOnly,
    allow_merge_update: settings.allowMergeUpdate,
    allow_rebase_update: settings.allowRebaseUpdate,
    allow_manual_merge: settings.allowManualMerge,
    autodetect_manual_merge: settings.autodetectManualMerge,
    default_delete_branch_after_merge: settings.deleteBranchAfterMerge,
    default_merge_style: settings.defaultMergeStyle,
    default_update_style: settings.defaultUpdateStyle,
    default_allow_maintainer_edit: settings.allowMaintainerEdit,
    ...(settings.defaultTargetBranch === '' ? {} : { default_target_branch: settings.defaultTargetBranch }),
  }
}
