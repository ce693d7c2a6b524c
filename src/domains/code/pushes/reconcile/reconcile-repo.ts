import { systemActor } from '../../../../core/access/viewer.ts'
import type { Database } from '../../../../core/db/database.ts'
import { type Git, zeroOid } from '../../../../core/git/index.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import { type Repo, findRepoById, listBranchRecords } from '../../../repositories/index.ts'
import { recordMoves, type RecordDeps, type RefChange } from '../record-push.ts'

/** The difference that a crash left between refs on disk and rows. The refs are right. */
export interface Drift {
  /** Moves of branches that the rows do not contain. */
  readonly changes: readonly RefChange[]
  /** The default branch, where HEAD names another one. */
  readonly head: string | undefined
}

const BRANCH = 'refs/heads/'

/** Undefined when rows and refs agree. GitError `no-repo` when there is nothing on disk. */
async function findDrift(
  { database, git }: { readonly database: Database; readonly git: Git },
  repo: Repo,
): Promise<Drift | undefined> {
  const snapshot = await git.open(repo).refs.freshSnapshot()
  const rows = new Map((await listBranchRecords(database.read, repo.id)).map((row) => [BRANCH + row.name, row.oid]))
  const zero = zeroOid(repo.objectFormat)
  const changes: RefChange[] = []
  for (const { name, oid } of snapshot.list(BRANCH)) {
    const recorded = rows.get(name)
    rows.delete(name)
    if (recorded !== oid) changes.push({ ref: name, oldOid: recorded ?? zero, newOid: oid })
  }
  for (const [ref, oid] of rows) changes.push({ ref, oldOid: oid, newOid: zero })
  const head = snapshot.head === BRANCH + repo.defaultBranch ? undefined : repo.defaultBranch
  return changes.length === 0 && head === undefined ? undefined : { changes, head }
}

/** Undefined when refs and rows agree or there is no such repository. */
export async function inspectRepo(
  deps: { readonly database: Database; readonly git: Git },
  repoId: Repo['id'],
): Promise<Drift | undefined> {
  const repo = await findRepoById(deps.database.read, repoId)
  return repo && findDrift(deps, repo)
}

/** Makes rows, default branch and HEAD agree with the refs. True when they did not. */
export async function reconcileRepo(deps: RecordDeps & { readonly log: Logger }, repoId: Repo['id']): Promise<boolean> {
  const drift = await inspectRepo(deps, repoId)
  if (drift === undefined) return false
  const { changes, head } = drift
  deps.log.warn({ repo: repoId, refs: changes.length, head }, 'refs and rows differ; correcting the rows')
  if (changes.length > 0) await recordMoves(deps, repoId, systemActor, { changes })
  const repo = await findRepoById(deps.database.read, repoId)
  if (repo !== undefined) await deps.git.open(repo).refs.setHead(repo.defaultBranch)
  return true
}
