import { systemActor } from '../../../access/viewer.ts'
import type { Jobs } from '../../../jobs/index.ts'
import type { RepoId } from '../../../platform/crypto/ids.ts'
import { findRepoById } from '../../repos/index.ts'
import { listPullHeads } from '../records/pull-heads.store.ts'
import type { LifecycleDeps } from './pull-change.ts'
import { refreshPull } from './refresh.ts'

const HEAD = /^refs\/pull\/(\d{1,15})\/head$/
const HOUR_MS = 3_600_000

/**
 * After a crash: writes the head refs that rows of open pull requests lack, and has those deleted that have no row. The
 * job that deletes waits, because a push may be about to insert the row.
 */
export async function reconcilePulls(deps: LifecycleDeps & { readonly jobs: Jobs }, repoId: RepoId): Promise<void> {
  const { database, jobs, log } = deps
  const repo = await findRepoById(database.read, repoId)
  if (repo === undefined) return
  const heads = await listPullHeads(database.read, repoId)
  const git = deps.git.open(repo)
  const found = new Map((await git.refs.snapshot()).list('refs/pull/').map((ref) => [ref.name, ref.oid]))
  for (const { pullId, ref, oid, isClosed } of heads) {
    const refOid = found.get(ref)
    found.delete(ref)
    if (refOid === oid || isClosed) continue
    log.warn({ repo: repoId, ref }, 'the head of a pull request differs from its row; correcting it')
    if (refOid === undefined && (await git.objects.findInfo(oid)))
      await git.refs.update([{ ref, old: git.zeroOid, new: oid }])
    await refreshPull(deps, systemActor, pullId)
  }
  for (const name of found.keys()) {
    const number = Number(HEAD.exec(name)?.[1])
    if (!number) continue
    const job = { repo_id: repoId, number }
    const options = { key: `${repoId} ${number}`, delay: HOUR_MS }
    await database.transaction((tx) => jobs.enqueue(tx, 'pulls.delete_ref', job, options))
  }
}
