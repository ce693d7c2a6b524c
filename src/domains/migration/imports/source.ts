/**
 * What a reader of another service returns. Every service is read into these shapes; the writers know no service.
 * Times are epoch milliseconds, undefined where the service does not have them. Texts are as the service has them:
 * the writers bound them and rewrite addresses and numbers in them.
 */

/** An account of the service. A deleted account has the name `Ghost` and the id -1 (reference/imports, 1.2). */
export interface SourceUser {
  /** The id at the service; 0 or negative if it has none. */
  readonly id: number
  readonly login: string
  /** Empty if the service does not show it. No proof of who somebody is: only an administrator may map by it. */
  readonly email: string
  /** The account is not one of this service, which has imported the object itself; its name may be that of another. */
  readonly isElsewhere?: boolean
}

/** Settings of the repository that are not in its git data. */
export interface SourceFacts {
  readonly description: string
  readonly website: string
  readonly topics: readonly string[]
  readonly isPrivate: boolean
  readonly isArchived: boolean
  readonly defaultBranch: string
}

export interface SourceLabel {
  readonly name: string
  /** The colour as the service writes it, such as `#ff0000`. */
  readonly color: string
  readonly description: string
  readonly isExclusive: boolean
  readonly isArchived: boolean
}

export interface SourceMilestone {
  /** How issues name the milestone: its id or number at the service. */
  readonly key: string
  readonly title: string
  readonly description: string
  readonly isClosed: boolean
  readonly dueAt: number | undefined
  readonly createdAt: number | undefined
  readonly updatedAt: number | undefined
  readonly closedAt: number | undefined
}

export interface SourceReaction {
  readonly user: SourceUser
  /** A name as in the API of this server; those that it does not take are left out. */
  readonly content: string
  readonly createdAt: number | undefined
}

/** A file of an issue, a comment or a release. */
export interface SourceAsset {
  readonly name: string
  /** Address of the bytes, or target of the link. */
  readonly url: string
  readonly kind: 'file' | 'link'
  /** Request headers of the download, without credentials. */
  readonly headers?: Readonly<Record<string, string>>
  readonly downloads: number
  readonly createdAt: number | undefined
  /** The address in texts that stands for this file; it is replaced by the address of the copy. */
  readonly textUrl?: string | undefined
}

/** Members that issues and pull requests have in common. */
export interface SourceIssue {
  /** The number at the service, unless the reader renumbers (merge requests of GitLab). */
  readonly number: number
  readonly author: SourceUser
  readonly title: string
  readonly body: string
  readonly isClosed: boolean
  readonly isLocked: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly closedAt: number | undefined
  /** Names of labels. */
  readonly labels: readonly string[]
  /** `key` of a milestone. */
  readonly milestone: string | undefined
  readonly assignees: readonly SourceUser[]
  readonly dueAt: number | undefined
  readonly ref: string
  /** Position among the pinned issues from 1; 0 if not pinned. */
  readonly pinOrder: number
  /** Seconds; 0 for none. */
  readonly timeEstimate: number
  readonly reactions: readonly SourceReaction[]
  readonly assets: readonly SourceAsset[]
}

export interface SourcePull extends SourceIssue {
  readonly base: { readonly branch: string; readonly oid: string }
  readonly head: {
    readonly branch: string
    readonly oid: string
    /** `owner/name` of the fork; undefined if the branch is in the same repository or the fork was deleted. */
    readonly repo: string | undefined
    /** The branch is in the imported repository itself. */
    readonly isSameRepo: boolean
  }
  /** The ref of the service that has the commits, such as `refs/pull/3/head`. */
  readonly headRef: string
  /** Empty if the service does not have it; it is computed then. */
  readonly mergeBase: string
  readonly isDraft: boolean
  readonly allowsMaintainerEdit: boolean
  readonly merged:
    | { readonly at: number; readonly oid: string; readonly by: SourceUser | undefined; readonly style: string }
    | undefined
  readonly requestedReviewers: readonly SourceUser[]
}

/** A comment, or an event of the timeline. */
export interface SourceComment {
  /** Increases in the list of comments; of the service, where that has one list of all. */
  readonly id: number
  /** Number of the issue or pull request. */
  readonly issue: number
  readonly author: SourceUser
  readonly createdAt: number
  readonly updatedAt: number
  readonly body: string
  readonly reactions: readonly SourceReaction[]
  readonly assets: readonly SourceAsset[]
}

/** An event of the timeline. Kinds without a member in SourceChange are not imported. */
export type SourceEvent = SourceChange & {
  readonly issue: number
  readonly actor: SourceUser
  readonly createdAt: number
}

/** The change of an event. Milestones are named by their `key`. */
export type SourceChange =
  | { readonly kind: 'pin' | 'unlock' | 'unpin' }
  /** `oid` of the commit whose message caused it. */
  | { readonly kind: 'close' | 'reopen'; readonly oid?: string }
  /** `text` as in the timeline of this server: the reason, dates such as `2026-01-02`, seconds. */
  | { readonly kind: TextKind; readonly text?: string }
  | { readonly kind: 'label'; readonly label: string; readonly isAdded: boolean }
  | { readonly kind: 'milestone'; readonly old: string | undefined; readonly new: string | undefined }
  | { readonly kind: 'assignees'; readonly assignee: SourceUser; readonly isRemoved: boolean }
  | { readonly kind: 'change_title'; readonly old: string; readonly new: string }
  | { readonly kind: 'change_target_branch' | 'change_issue_ref'; readonly old: string; readonly new: string }
  | { readonly kind: 'delete_branch'; readonly branch: string }
  | { readonly kind: 'add_dependency' | 'remove_dependency'; readonly other: number }
  | { readonly kind: 'merge_pull'; readonly oid: string }
  | { readonly kind: 'pull_push'; readonly oids: readonly string[]; readonly isForced: boolean }
  /** The issue or pull request `from`, or a comment on it of this time with this text, refers to this one. */
  | { readonly kind: 'issue_ref' | 'pull_ref'; readonly from: number; readonly action?: string }
  | ({ readonly kind: 'comment_ref'; readonly from: number; readonly action?: string } & Referring)
  | { readonly kind: 'commit_ref'; readonly oid: string }

interface Referring {
  readonly writtenAt: number
  readonly text: string
}

type TextKind = 'added_deadline' | 'change_time_estimate' | 'lock' | 'modified_deadline' | 'removed_deadline'

export interface SourceReview {
  readonly id: number
  /** Number of the pull request. */
  readonly pull: number
  readonly author: SourceUser
  readonly kind: 'approved' | 'rejected' | 'comment'
  readonly isDismissed: boolean
  readonly isOfficial: boolean
  readonly body: string
  readonly commitOid: string
  readonly submittedAt: number
  readonly comments: readonly SourceReviewComment[]
}

export interface SourceReviewComment {
  readonly id: number
  readonly author: SourceUser
  readonly body: string
  readonly path: string
  /** `old`: a line of the merge base. */
  readonly side: 'old' | 'new'
  /** Line of the file from 1. */
  readonly line: number
  /** First line of a range; equal to `line` otherwise. */
  readonly startLine: number
  readonly commitOid: string
  readonly diffHunk: string
  readonly isOutdated: boolean
  /** The comment that this one answers. */
  readonly replyTo: number | undefined
  readonly resolvedBy: SourceUser | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly reactions: readonly SourceReaction[]
  readonly assets: readonly SourceAsset[]
}

export interface SourceTrackedTime {
  readonly id: number
  readonly issue: number
  readonly user: SourceUser
  readonly seconds: number
  readonly createdAt: number
}

/** `issue` cannot be closed while `dependsOn` is open. */
export interface SourceDependency {
  readonly issue: number
  /** A number; for an issue of another repository its full name, such as `owner/name#3`. */
  readonly dependsOn: number | string
}

export interface SourceRelease {
  readonly author: SourceUser
  readonly tag: string
  readonly target: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  readonly createdAt: number | undefined
  readonly assets: readonly SourceAsset[]
}

/** Rules of branches and tags, in the contract's own shapes (BranchProtection, TagProtection). */
export interface SourceProtections {
  readonly branches: readonly unknown[]
  readonly tags: readonly unknown[]
}

/** Pages of a list, read on demand. */
export type Pages<T> = AsyncIterable<readonly T[]>

/**
 * A repository at another service. Methods throw ForgeError and OutgoingError; what the service lacks is an empty
 * list. Lists of issues are in ascending order of numbers, so that an import that was interrupted continues `after`
 * the last number it has.
 */
export interface Source {
  /** Lists that the service is asked for side by side; 1 if undefined. */
  readonly atOnce?: number
  facts(signal: AbortSignal): Promise<SourceFacts>
  labels(signal: AbortSignal): Pages<SourceLabel>
  milestones(signal: AbortSignal): Pages<SourceMilestone>
  issues(after: number, signal: AbortSignal): Pages<SourceIssue>
  pulls(after: number, signal: AbortSignal): Pages<SourcePull>
  /** Comments of issues and pull requests, without those of reviews, of all numbers or of one. */
  comments(of: SourceScope, signal: AbortSignal): Pages<SourceComment>
  events(of: SourceItem, signal: AbortSignal): Pages<SourceEvent>
  reviews(of: Pick<SourceItem, 'number'>, signal: AbortSignal): Pages<SourceReview>
  trackedTimes(signal: AbortSignal): Pages<SourceTrackedTime>
  dependencies(of: SourceItem, signal: AbortSignal): Pages<SourceDependency>
  releases(signal: AbortSignal): Pages<SourceRelease>
  protections(signal: AbortSignal): Promise<SourceProtections>
  /** Total numbers, for progress; undefined if the service does not report them. */
  counts(signal: AbortSignal): Promise<Partial<Record<SourceKind, number>>>
  /** Streams the bytes of a file to `consume`. */
  download<T>(
    asset: Pick<SourceAsset, 'url' | 'headers'>,
    signal: AbortSignal,
    consume: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T>
  /** Files of the service that a text links to, which are copied: addresses as they stand in the text. */
  filesIn(text: string): readonly SourceAsset[]
  /** A text with references to renumbered issues and pull requests in the numbers of this server. */
  rewriteReferences(text: string): string
}

/** An imported issue or pull request of which more is read, so that lists of issues are read once. */
export interface SourceItem {
  /** See `SourceIssue`. */
  readonly number: number
  readonly isPull: boolean
}

/** Selects the issues and pull requests whose comments are read. */
export interface SourceScope {
  readonly issues: boolean
  readonly pulls: boolean
  /** Skips comments with this id or a lower one. */
  readonly after: number
  readonly bookmark?: Bookmark | undefined
}

/** The page of a list to begin with; sources with one list of all comments move it on. */
export interface Bookmark {
  page: number
}

export type SourceKind = 'labels' | 'milestones' | 'issues' | 'pulls' | 'comments' | 'releases'
