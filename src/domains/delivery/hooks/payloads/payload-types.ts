import type { presentJob, presentRun, presentWorkflow } from '../../../automation/index.ts'
import type { PayloadCommit, presentRelease } from '../../../code/index.ts'
import type { presentComment, presentLabel, issuePresenters } from '../../../issues/index.ts'
import type { presentOrganization, userPresenters } from '../../../accounts/index.ts'
import type { presentPackage } from '../../../packages/index.ts'
import type { presentPull } from '../../../pulls/index.ts'
import type { Repository } from '../../../repositories/index.ts'

export type PayloadUser = ReturnType<typeof userPresenters.present>
export type PayloadLabel = ReturnType<typeof presentLabel>
type Issue = ReturnType<typeof issuePresenters.present>
type Comment = ReturnType<typeof presentComment>
export type PayloadPull = ReturnType<typeof presentPull>
type Release = ReturnType<typeof presentRelease>

type PayloadRun = ReturnType<typeof presentRun>
type PayloadJob = ReturnType<typeof presentJob>
type PayloadWorkflow = ReturnType<typeof presentWorkflow>
type PayloadOrganization = ReturnType<typeof presentOrganization>
type Package = ReturnType<typeof presentPackage>

/** The common members of all payloads. */
interface Common {
  readonly repository: Repository
  readonly sender: PayloadUser
}

interface From {
  readonly from: string
}

/** Former texts of changed members, and the labels that were attached and detached. */
export interface Changes {
  readonly title?: From
  readonly body?: From
  /** The former base of a pull request. */
  readonly ref?: From
  readonly added_labels: readonly PayloadLabel[]
  readonly removed_labels: readonly PayloadLabel[]
  /** The label of a label event, if it is only one. */
  readonly label?: PayloadLabel
}

export interface PushPayload extends Common {
  readonly ref: string
  readonly before: string
  readonly after: string
  readonly compare_url: string
  readonly commits: readonly PayloadCommit[]
  readonly total_commits: number
  readonly head_commit: PayloadCommit | null
  readonly pusher: PayloadUser
}

export interface CreatePayload extends Common {
  readonly sha: string
  readonly ref: string
  readonly ref_type: 'branch' | 'tag'
}

export interface DeletePayload extends Common {
  readonly ref: string
  readonly ref_type: 'branch' | 'tag'
  readonly pusher_type: 'user'
}

interface ForkPayload extends Common {
  /** The repository that was forked; `repository` is the fork. */
  readonly forkee: Repository
}

export interface IssuePayload extends Common {
  readonly action: string
  readonly number: number
  readonly changes?: Changes
  readonly issue: Issue
  /** The commit that closed or reopened it; empty if there is none. */
  readonly commit_id: string
}

export interface PullPayload extends Common {
  readonly action: string
  readonly number: number
  readonly changes?: Changes
  readonly pull_request: PayloadPull
  readonly requested_reviewer: PayloadUser | null
  readonly commit_id: string
  readonly review: { readonly type: string; readonly content: string } | null
}

export interface CommentPayload extends Common {
  readonly action: string
  readonly issue: Issue
  /** Present if `is_pull`. */
  readonly pull_request?: PayloadPull
  readonly comment: Comment
  readonly changes?: Changes
  readonly is_pull: boolean
}

interface ReleasePayload extends Common {
  readonly action: string
  readonly release: Release
}

interface WikiPayload extends Common {
  readonly action: string
  /** The name of the page in its address. */
  readonly page: string
  /** The message of the commit. */
  readonly comment: string
}

interface RepositoryPayload extends Common {
  readonly action: string
  /** The owner, which may also be a user. */
  readonly organization: PayloadUser
}

interface StatusPayload extends Common {
  readonly commit: PayloadCommit
  readonly context: string
  readonly created_at: string
  readonly description: string
  readonly id: number
  readonly sha: string
  readonly state: string
  readonly target_url: string
  readonly updated_at: string
}

interface PackagePayload extends Omit<Common, 'repository'> {
  readonly action: string
  /** The repository that the package is linked to, if any. */
  readonly repository: Repository | null
  readonly package: Package
  /** The owner; null for a user. */
  readonly organization: PayloadOrganization | null
}

export interface WorkflowCommon extends Common {
  readonly action: string
  /** The pull request of a run. */
  readonly pull_request?: PayloadPull
  /** The owner, unless it is a user. */
  readonly organization?: PayloadOrganization
}

interface WorkflowRunPayload extends WorkflowCommon {
  /** Null when the commit of the run no longer exists. */
  readonly workflow: PayloadWorkflow | null
  readonly workflow_run: PayloadRun
}

interface WorkflowJobPayload extends WorkflowCommon {
  readonly workflow_job: PayloadJob
}

/** The payload of each type of event (behaviour/orgs-webhooks-actions#payloads). */
export interface PayloadOf {
  readonly create: CreatePayload
  readonly delete: DeletePayload
  readonly fork: ForkPayload
  readonly issues: IssuePayload
  readonly issue_assign: IssuePayload
  readonly issue_comment: CommentPayload
  readonly issue_label: IssuePayload
  readonly issue_milestone: IssuePayload
  readonly package: PackagePayload
  readonly pull_request: PullPayload
  readonly pull_request_assign: PullPayload
  readonly pull_request_comment: CommentPayload
  readonly pull_request_label: PullPayload
  readonly pull_request_milestone: PullPayload
  readonly pull_request_review_approved: PullPayload
  readonly pull_request_review_comment: PullPayload
  readonly pull_request_review_rejected: PullPayload
  readonly pull_request_review_request: PullPayload
  readonly pull_request_sync: PullPayload
  readonly push: PushPayload
  readonly release: ReleasePayload
  readonly repository: RepositoryPayload
  readonly status: StatusPayload
  readonly wiki: WikiPayload
  readonly workflow_job: WorkflowJobPayload
  readonly workflow_run: WorkflowRunPayload
}

export type SentEventType = keyof PayloadOf
