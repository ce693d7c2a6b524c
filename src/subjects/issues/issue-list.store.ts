import type { Db } from '../../db/database.ts'
import { selectPage } from '../../db/page.ts'
import { asId, type IssueId, type RepoId } from '../../platform/crypto/ids.ts'
import type { Page, Paging } from '../../platform/paging.ts'
import type { IssueKinds } from './issue-kinds.policy.ts'

export interface IssueFilter {
  readonly state: 'open' | 'closed' | 'all'
  readonly kinds: IssueKinds
}

/** The ids of issues of a repository, the newest first. */
export function listIssueIds(
  db: Db,
  repoId: RepoId,
  { state, kinds }: IssueFilter,
  paging: Paging,
): Promise<Page<IssueId>> {
  let query = db.selectFrom('issue').select('id').where('repo_id', '=', repoId)
  if (state !== 'all') query = query.where('is_closed', '=', state === 'closed' ? 1 : 0)
  if (!kinds.issues || !kinds.pulls) query = query.where('is_pull', '=', kinds.pulls ? 1 : 0)
  return selectPage(query.orderBy('created_at', 'desc').orderBy('id', 'desc'), paging, (row) => asId<IssueId>(row.id))
}
