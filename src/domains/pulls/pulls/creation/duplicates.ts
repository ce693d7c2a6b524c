import type { Db } from '../../../../core/db/database.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import { findOpenDuplicate, type PullTarget } from '../records/pull.store.ts'

/** Throws Conflict, in words that clients parse, when an open pull request has the target. */
export async function requireNoDuplicate(db: Db, target: PullTarget): Promise<void> {
  const found = await findOpenDuplicate(db, target)
  if (found === undefined) return
  const { headRepoId, baseRepoId, headBranch, baseBranch } = target
  const facts = [
    `id: ${found.pull.id}`,
    `issue_id: ${found.number}`,
    `head_repo_id: ${headRepoId}`,
    `base_repo_id: ${baseRepoId}`,
    `head_branch: ${headBranch}`,
    `base_branch: ${baseBranch}`,
  ]
  throw conflict(`pull request already exists for these targets [${facts.join(', ')}]`)
}
