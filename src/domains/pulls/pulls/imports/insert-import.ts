import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { IssueId, RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { checkColumns } from '../mergeability/merge-ref.ts'
import { insertPull, type Pull } from '../records/pull.store.ts'
import type { PreparedCommits } from './prepare-import.ts'

/** A pull request of another service. Its issue was inserted before. */
export interface ImportedPull {
  readonly issueId: IssueId
  readonly repoId: RepoId
  readonly baseBranch: string
  readonly headBranch: string
  /** The head branch is one of the repository; otherwise it counts as that of a deleted repository. */
  readonly isSameRepo: boolean
  readonly commits: PreparedCommits
  readonly isClosed: boolean
  readonly isDraft: boolean
  readonly allowsMaintainerEdit: boolean
  readonly merged: { readonly style: string; readonly byId: UserId; readonly at: number } | undefined
}

const STYLES: ReadonlySet<string> = new Set([
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
])

/** Inserts the row of a pull request; causes no event, no job and no entry of the timeline. */
export function insertImportedPull(tx: Tx, { commits, merged, ...pull }: ImportedPull): Promise<Pull> {
  return insertPull(tx, {
    issue_id: pull.issueId,
    base_repo_id: pull.repoId,
    base_branch: pull.baseBranch,
    head_repo_id: pull.isSameRepo ? pull.repoId : 0,
    head_branch: pull.headBranch,
    head_oid: commits.headOid,
    merge_base: commits.mergeBase,
    ...checkColumns(commits.check),
    is_closed: flag(pull.isClosed),
    is_draft: flag(pull.isDraft),
    allows_maintainer_edit: flag(pull.allowsMaintainerEdit),
    ...(merged && {
      is_merged: 1 as const,
      merged_oid: commits.mergedOid ?? commits.headOid,
      merge_style: STYLES.has(merged.style) ? merged.style : 'merge',
      merged_by_id: merged.byId,
      merged_at: merged.at,
    }),
  })
}
