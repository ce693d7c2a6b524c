import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import type { Db } from '../../../core/db/database.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type Repo, type RepoInView, unreadableUnit } from '../../repositories/index.ts'
import type { PullInView } from './pull-in-view.ts'
import { findPullByNumber } from './records/records.store.ts'

/** Throws NotFound for an empty repository, a mirror, and one whose code the viewer may not read. */
export function requirePulls({ repo, access }: RepoInView): void {
  if (repo.isEmpty || repo.isMirror) throw notFound('the repository has no pull requests')
  if (unitMode(access, 'repo.code') < AccessMode.read) throw unreadableUnit(repo, 'repo.code')
}

/** A pull request of a repository whose pull requests the viewer may read. Throws NotFound. */
export async function getReadablePull(db: Db, target: RepoInView, number: number): Promise<PullInView> {
  requirePulls(target)
  return { ...target, ...(await getPull(db, target.repo, number)) }
}

/** Throws NotFound. */
export async function getPull(db: Db, { id }: Repo, number: number): Promise<Pick<PullInView, 'issue' | 'pull'>> {
  const found = await findPullByNumber(db, id, number)
  if (found === undefined) throw errors.pullNotFound()
  return found
}
