import { LRUCache } from 'lru-cache'

/** Settings of the units, stored as JSON in `repo.settings`: only values that differ from the defaults are stored. */
export interface RepoSettings {
  readonly internalTracker: InternalTrackerSettings
  readonly externalTracker: ExternalTrackerSettings
  readonly externalWikiUrl: string
  readonly globallyEditableWiki: boolean
  readonly projectsMode: 'all' | 'repo' | 'owner'
  readonly pulls: PullSettings
}

interface InternalTrackerSettings {
  readonly timeTracker: boolean
  readonly onlyContributorsTrackTime: boolean
  readonly issueDependencies: boolean
}

export interface ExternalTrackerSettings {
  readonly url: string
  readonly format: string
  readonly style: string
  readonly regexp: string
}

export interface PullSettings {
  readonly ignoreWhitespaceConflicts: boolean
  readonly allowMerge: boolean
  readonly allowRebase: boolean
  readonly allowRebaseMerge: boolean
  readonly allowSquash: boolean
  readonly allowFastForwardOnly: boolean
  readonly allowMergeUpdate: boolean
  readonly allowRebaseUpdate: boolean
  readonly allowManualMerge: boolean
  readonly autodetectManualMerge: boolean
  readonly deleteBranchAfterMerge: boolean
  readonly allowMaintainerEdit: boolean
  /** merge, rebase, rebase-merge, squash or fast-forward-only; not validated when set. */
  readonly defaultMergeStyle: string
  readonly defaultUpdateStyle: 'merge' | 'rebase'
  /** Empty for the default branch. */
  readonly defaultTargetBranch: string
}

export const DEFAULT_REPO_SETTINGS: RepoSettings = {
  internalTracker: { timeTracker: true, onlyContributorsTrackTime: true, issueDependencies: true },
  externalTracker: { url: '', format: '', style: 'numeric', regexp: '' },
  externalWikiUrl: '',
  globallyEditableWiki: false,
  projectsMode: 'all',
  pulls: {
    ignoreWhitespaceConflicts: false,
    allowMerge: true,
    allowRebase: true,
    allowRebaseMerge: true,
    allowSquash: true,
    allowFastForwardOnly: true,
    allowMergeUpdate: true,
    allowRebaseUpdate: true,
    allowManualMerge: false,
    autodetectManualMerge: false,
    deleteBranchAfterMerge: false,
    allowMaintainerEdit: true,
    defaultMergeStyle: 'merge',
    defaultUpdateStyle: 'merge',
    defaultTargetBranch: '',
  },
}

/** Most repositories have one of a few values, and lists parse one for each row. */
const parsed = new LRUCache<string, RepoSettings>({ max: 500 })

/** The settings stored in `repo.settings`, with defaults for absent members. */
export function parseRepoSettings(json: string): RepoSettings {
  if (json === '{}') return DEFAULT_REPO_SETTINGS
  const before = parsed.get(json)
  if (before) return before
  const settings = overlay(DEFAULT_REPO_SETTINGS, JSON.parse(json) as object) as RepoSettings
  parsed.set(json, settings)
  return settings
}

export const formatRepoSettings = (settings: RepoSettings): string =>
  JSON.stringify(difference(DEFAULT_REPO_SETTINGS, settings))

function overlay(base: object, over: object): object {
  const given = over as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(base).map(([key, value]) => {
      const other = given[key]
      if (other === undefined) return [key, value]
      return [key, isGroup(value) && isGroup(other) ? overlay(value, other) : other]
    }),
  )
}

function difference(base: object, value: object): object {
  const given = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(base).flatMap(([key, initial]) => {
      const other = given[key]
      if (!isGroup(initial)) return other === initial ? [] : [[key, other]]
      const inner = difference(initial, other as object)
      return Object.keys(inner).length === 0 ? [] : [[key, inner]]
    }),
  )
}

const isGroup = (value: unknown): value is object => value !== null && typeof value === 'object'
