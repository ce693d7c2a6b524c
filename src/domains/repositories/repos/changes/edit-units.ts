import { hasUnit, type Unit, type UnitSet, withUnit } from '../../../../core/access/repo-access.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import {
  DEFAULT_REPO_SETTINGS,
  type ExternalTrackerSettings,
  type PullSettings,
  type RepoSettings,
} from '../repo-settings.ts'
import type { EditRepoOption } from '../repos.model.ts'

export interface Units {
  readonly set: UnitSet
  readonly settings: RepoSettings
}

export interface UnitEditRules {
  readonly rootUrl: string
  /** Units that are disabled on the whole server. */
  readonly disabled: UnitSet
}

/**
 * The units and their settings after an edit (behaviour/repositories#editing): members that would enable a disabled
 * unit are ignored. Throws Invalid for URLs that are not external.
 */
export function editUnits(units: Units, edit: EditRepoOption, { rootUrl, disabled }: UnitEditRules): Units {
  const steps = [editPlainUnits, editIssues, editWiki, editProjects, editPulls]
  return steps.reduce((current, step) => {
    const next = step(current, edit, rootUrl)
    return step !== editPlainUnits && (next.set & disabled) !== 0 ? current : { ...next, set: next.set & ~disabled }
  }, units)
}

function editPlainUnits({ set, settings }: Units, edit: EditRepoOption): Units {
  const switches: readonly (readonly [Unit, boolean | undefined])[] = [
    ['repo.code', edit.has_code],
    ['repo.releases', edit.has_releases],
    ['repo.packages', edit.has_packages],
    ['repo.actions', edit.has_actions],
  ]
  return {
    settings,
    set: switches.reduce((current, [unit, on]) => (on === undefined ? current : withUnit(current, unit, on)), set),
  }
}

/** One variant of a unit replaces the other. */
function choose(set: UnitSet, { on, off }: { readonly on?: Unit; readonly off: readonly Unit[] }): UnitSet {
  const cleared = off.reduce((current, unit) => withUnit(current, unit, false), set)
  return on === undefined ? cleared : withUnit(cleared, on, true)
}

function editIssues({ set, settings }: Units, edit: EditRepoOption, rootUrl: string): Units {
  const { has_issues: on, external_tracker: external, internal_tracker: internal } = edit
  const isOn = hasUnit(set, 'repo.issues') || hasUnit(set, 'repo.ext_issues')
  if (on === false) return { settings, set: choose(set, { off: ['repo.issues', 'repo.ext_issues'] }) }
  if (external !== undefined && (on || isOn)) {
    const tracker = readExternalTracker(settings.externalTracker, external, rootUrl)
    return {
      settings: { ...settings, externalTracker: tracker },
      set: choose(set, { on: 'repo.ext_issues', off: ['repo.issues'] }),
    }
  }
  if (!on && !(internal !== undefined && hasUnit(set, 'repo.issues'))) return { set, settings }
  // COMPAT: a tracker that replaces an external one starts with the defaults; a disabled one is enabled with its former
  // settings (test/repositories/edit.test.ts).
  const own = hasUnit(set, 'repo.ext_issues') ? DEFAULT_REPO_SETTINGS.internalTracker : settings.internalTracker
  return {
    settings: { ...settings, internalTracker: readInternalTracker(own, internal) },
    set: choose(set, { on: 'repo.issues', off: ['repo.ext_issues'] }),
  }
}

function readInternalTracker(
  current: RepoSettings['internalTracker'],
  given: EditRepoOption['internal_tracker'],
): RepoSettings['internalTracker'] {
  return {
    timeTracker: given?.enable_time_tracker ?? current.timeTracker,
    onlyContributorsTrackTime: given?.allow_only_contributors_to_track_time ?? current.onlyContributorsTrackTime,
    issueDependencies: given?.enable_issue_dependencies ?? current.issueDependencies,
  }
}

function readExternalTracker(
  current: ExternalTrackerSettings,
  given: NonNullable<EditRepoOption['external_tracker']>,
  rootUrl: string,
): ExternalTrackerSettings {
  const url = given.external_tracker_url ?? current.url
  const format = given.external_tracker_format ?? ''
  if (!isExternalUrl(url, rootUrl)) throw invalid('External tracker URL not valid')
  if (format !== '' && !isTrackerFormat(format, rootUrl)) throw invalid('External tracker URL format not valid')
  return {
    url,
    format,
    style: given.external_tracker_style || 'numeric',
    regexp: given.external_tracker_regexp_pattern ?? '',
  }
}

function editWiki({ set, settings: before }: Units, edit: EditRepoOption, rootUrl: string): Units {
  const settings =
    edit.globally_editable_wiki === undefined
      ? before
      : { ...before, globallyEditableWiki: edit.globally_editable_wiki }
  if (edit.has_wiki === undefined) return { set, settings }
  if (!edit.has_wiki) return { settings, set: choose(set, { off: ['repo.wiki', 'repo.ext_wiki'] }) }
  if (edit.external_wiki === undefined)
    return { settings, set: choose(set, { on: 'repo.wiki', off: ['repo.ext_wiki'] }) }
  const url = edit.external_wiki.external_wiki_url ?? ''
  if (!isExternalUrl(url, rootUrl)) throw invalid('Invalid external wiki URL')
  return {
    settings: { ...settings, externalWikiUrl: url },
    set: choose(set, { on: 'repo.ext_wiki', off: ['repo.wiki'] }),
  }
}

function editProjects({ set, settings }: Units, { has_projects: on, projects_mode: mode }: EditRepoOption): Units {
  if (on === undefined) return { set, settings }
  return {
    settings: on && mode !== undefined ? { ...settings, projectsMode: mode } : settings,
    set: withUnit(set, 'repo.projects', on),
  }
}

/** Any member of the unit enables it; absent members get the defaults. */
function editPulls({ set, settings }: Units, edit: EditRepoOption): Units {
  if (edit.has_pull_requests === false) return { settings, set: withUnit(set, 'repo.pulls', false) }
  const given = pullSettings(edit)
  if (!edit.has_pull_requests && Object.keys(given).length === 0) return { set, settings }
  const current = hasUnit(set, 'repo.pulls') ? settings.pulls : DEFAULT_REPO_SETTINGS.pulls
  return { settings: { ...settings, pulls: { ...current, ...given } }, set: withUnit(set, 'repo.pulls', true) }
}

function pullSettings(edit: EditRepoOption): Partial<PullSettings> {
  const given = {
    ignoreWhitespaceConflicts: edit.ignore_whitespace_conflicts,
    allowMerge: edit.allow_merge_commits,
    allowRebase: edit.allow_rebase,
    allowRebaseMerge: edit.allow_rebase_explicit,
    allowSquash: edit.allow_squash_merge,
    allowFastForwardOnly: edit.allow_fast_forward_only_merge,
    allowMergeUpdate: edit.allow_merge_update,
    allowRebaseUpdate: edit.allow_rebase_update,
    allowManualMerge: edit.allow_manual_merge,
    autodetectManualMerge: edit.autodetect_manual_merge,
    deleteBranchAfterMerge: edit.default_delete_branch_after_merge,
    allowMaintainerEdit: edit.default_allow_maintainer_edit,
    defaultMergeStyle: edit.default_merge_style || undefined,
    defaultUpdateStyle: edit.default_update_style,
    defaultTargetBranch: edit.default_target_branch,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<PullSettings>
}

const LOCAL_HOST = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/i
const PLACEHOLDERS = new Set(['{user}', '{repo}', '{index}'])

/** A URL of another server: http(s), not this machine, not this server's API (behaviour/repositories#editing). */
function isExternalUrl(text: string, rootUrl: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  return !LOCAL_HOST.test(new URL(text).hostname) && !text.toLowerCase().startsWith(`${rootUrl.toLowerCase()}/api/`)
}

/** Like `isExternalUrl`, with `{user}`, `{repo}` and `{index}` in valid positions and every brace closed. */
function isTrackerFormat(text: string, rootUrl: string): boolean {
  const filled = text.replace(/\{[^{}]*\}/g, (placeholder) => (PLACEHOLDERS.has(placeholder) ? 'x' : '{'))
  return !/[{}]/.test(filled) && isExternalUrl(filled, rootUrl)
}
