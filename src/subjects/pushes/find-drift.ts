import type { Database } from '../../db/database.ts'
import { type Git, zeroOid } from '../../git/index.ts'
import { listBranchRecords, type Repo } from '../repos/index.ts'
import type { RefChange } from './record-push.ts'

/** What a crash between the refs on disk and the rows about them leaves: the refs are the truth. */
export interface Drift {
  /** Branches that moved without a record. */
  readonly changes: readonly RefChange[]
  /** The default branch, where HEAD names another one. */
  readonly head: string | undefined
}

const BRANCH = 'refs/heads/'

/** Undefined when rows and refs agree. GitError `no-repo` when there is nothing on disk. */
export async function findDrift(
  { database, git }: { readonly database: Database; readonly git: Git },
  repo: Repo,
): Promise<Drift | undefined> {
  const snapshot = await git.open(repo).refs.snapshot()
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
