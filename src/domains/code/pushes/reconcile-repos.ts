import type { Core } from '../../../core/module.ts'
import { systemActor } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { type Git, zeroOid } from '../../../core/git/index.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import type { Hook } from '../../../core/platform/hook.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { type Repo, repoQueries, branchQueries } from '../../repositories/index.ts'
import { recordMoves, type RecordDeps, type RefChange } from './record-push.ts'

/** The difference between refs on disk and rows after a crash. The refs are authoritative. */
export interface Drift {
  /** Updates of branches that the rows do not contain. */
  readonly changes: readonly RefChange[]
  /** The default branch, if HEAD refers to another one. */
  readonly head: string | undefined
}

const BRANCH = 'refs/heads/'

/** Undefined if rows and refs agree. Throws GitError `no-repo` if the repository does not exist on disk. */
async function findDrift(
  { database, git }: { readonly database: Database; readonly git: Git },
  repo: Repo,
): Promise<Drift | undefined> {
  const snapshot = await git.open(repo).refs.freshSnapshot()
  const rows = new Map((await branchQueries.list(database.read, repo.id)).map((row) => [BRANCH + row.name, row.oid]))
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

/** Undefined if refs and rows agree or the repository does not exist. */
export async function inspectRepo(
  deps: { readonly database: Database; readonly git: Git },
  repoId: Repo['id'],
): Promise<Drift | undefined> {
  const repo = await repoQueries.findById(deps.database.read, repoId)
  return repo && findDrift(deps, repo)
}

/** Updates rows, default branch and HEAD to match the refs. Returns true if they differed. */
export async function reconcileRepo(deps: RecordDeps & { readonly log: Logger }, repoId: Repo['id']): Promise<boolean> {
  const drift = await inspectRepo(deps, repoId)
  if (drift === undefined) return false
  const { changes, head } = drift
  deps.log.warn({ repo: repoId, refs: changes.length, head }, 'refs and rows differ; correcting the rows')
  if (changes.length > 0) await recordMoves(deps, repoId, systemActor, { changes })
  const repo = await repoQueries.findById(deps.database.read, repoId)
  if (repo !== undefined) await deps.git.open(repo).refs.setHead(repo.defaultBranch)
  return true
}

type Reconcile = (repoId: RepoId) => Promise<unknown>

/**
 * Comparisons of rows with the disk, for every repository: the process may have been killed between the two writes.
 * Each comparison runs for all repositories before the next one starts.
 */
export type RepoReconcilers = Hook<[forEachRepo: (reconcile: Reconcile) => Promise<void>]>

/** A repository that git cannot read is logged and skipped. Throws when the signal aborts. */
export async function reconcileRepos(
  { database, log }: Pick<Core, 'database' | 'log'>,
  reconcilers: RepoReconcilers,
  signal: AbortSignal,
): Promise<void> {
  const options = { database, log, signal, failure: 'repository not compared with its rows' }
  await reconcilers.run((reconcile) => repoQueries.forEach(options, reconcile))
}

interface ReinitDeps extends Pick<Core, 'database' | 'git' | 'log'> {
  readonly pushes: { reconcile: Reconcile }
}

/** Creates an empty git repository for every row whose git data is missing. */
export const reinitMissingRepos = ({ database, git, log, pushes }: ReinitDeps, signal: AbortSignal): Promise<void> =>
  repoQueries.forEach({ database, log, signal, failure: 'repository not examined' }, async (id) => {
    const repo = await repoQueries.findById(database.read, id)
    if (repo === undefined || (await git.repoExists(repo.storage))) return
    await git.createRepo(repo.storage, repo)
    log.warn({ repo: id, name: repo.fullName }, 'the git data was missing; created an empty repository in its place')
    await pushes.reconcile(id)
  })
