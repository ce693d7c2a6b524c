import type { Core } from '../../../core/module.ts'
import { restrictionOf } from '../../../core/access/authorize.ts'
import { type Actor, actorOf } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import { type Git, isZeroOid } from '../../../core/git/index.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { firstDefaultBranch } from '../protections/push-rules.policy.ts'
import { type Repo, repoQueries, branchQueries } from '../../repositories/index.ts'

export interface RefChange {
  readonly ref: string
  readonly oldOid: string
  readonly newOid: string
}

const BRANCH = 'refs/heads/'

export type RecordDeps = Pick<Core, 'database' | 'git' | 'clock' | 'events'>

export interface RefMoves {
  readonly changes: readonly RefChange[]
  /** The new default branch. If absent, an empty repository uses one of the pushed branches. */
  readonly defaultBranch?: string | undefined
  readonly isMirrorSync?: boolean | undefined
  /** An import: no event, so that nobody is notified and no pull request is changed. */
  readonly isSilent?: boolean | undefined
  /**
   * Runs in the transaction that records the updates, before their event: the event of a merge precedes that of its
   * push.
   */
  readonly inTransaction?: ((tx: Tx) => Promise<void>) | undefined
}

/**
 * Records updated refs. Pushes may be recorded in another order than their updates, also by other processes. Therefore
 * a branch row gets only a value that the ref still has: a later push records the current one. HEAD is set before the
 * rows are written: `reconcile` repairs a crash in between.
 */
export async function recordMoves(deps: RecordDeps, repoId: RepoId, pusher: Actor, moves: RefMoves): Promise<void> {
  const repo = await repoQueries.findById(deps.database.read, repoId)
  if (repo === undefined) return
  const { changes, inTransaction } = moves
  const defaultBranch = moves.defaultBranch ?? (await chooseDefaultBranch(deps.git, repo, changes))
  const origin = { repoId, pusherId: pusher.account.id, restriction: restrictionOf(pusher), at: deps.clock.now() }
  const { refs } = deps.git.open(repo)
  await deps.database.transaction(async (tx) => {
    await repoQueries.lock(tx, repoId)
    // NOTE: read while the row is locked, so that the last recorder sees the last update.
    const snapshot = await refs.freshSnapshot()
    const isCurrent = ({ ref, newOid }: RefChange): boolean =>
      isZeroOid(newOid) ? snapshot.get(ref) === undefined : snapshot.get(ref)?.oid === newOid
    await writeRows(tx, origin, { ...moves, defaultBranch, current: changes.filter(isCurrent) })
    await inTransaction?.(tx)
    await appendPushed(tx, deps.events, origin, moves)
  })
  if (defaultBranch !== undefined) await repoQueries.syncHead(deps, repoId)
}

async function chooseDefaultBranch(git: Git, repo: Repo, changes: readonly RefChange[]): Promise<string | undefined> {
  if (!repo.isEmpty) return undefined
  const created = changes.filter((change) => change.ref.startsWith(BRANCH) && !isZeroOid(change.newOid))
  const chosen = firstDefaultBranch(
    created.map((change) => change.ref.slice(BRANCH.length)),
    repo.defaultBranch,
  )
  if (chosen !== undefined) await git.open(repo).refs.setHead(chosen)
  return chosen
}

/** `current` contains the changes whose values the refs still have. */
async function writeRows(
  tx: Tx,
  origin: Parameters<typeof branchQueries.recordPush>[1],
  { changes, current, defaultBranch }: RefMoves & { readonly current: readonly RefChange[] },
): Promise<void> {
  if (changes.length === 0) return
  const branches = current
    .filter(({ ref }) => ref.startsWith(BRANCH))
    .map(({ ref, newOid }) => ({ name: ref.slice(BRANCH.length), oid: newOid }))
  await branchQueries.recordPush(tx, origin, {
    pushes: changes,
    branches: branches.filter(({ oid }) => !isZeroOid(oid)),
    deletedBranches: branches.filter(({ oid }) => isZeroOid(oid)).map(({ name }) => name),
    defaultBranch,
  })
}

async function appendPushed(
  tx: Tx,
  events: Events,
  origin: Parameters<typeof branchQueries.recordPush>[1],
  { changes, isMirrorSync = false, isSilent = false }: RefMoves,
): Promise<void> {
  if (changes.length === 0 || isSilent) return
  await events.append(
    tx,
    'repo.pushed',
    { actor: actorOf(asId(origin.pusherId)), repoId: origin.repoId, at: origin.at },
    {
      repo_id: origin.repoId,
      ...(isMirrorSync && { is_mirror_sync: true }),
      ...(origin.restriction && { restriction: origin.restriction }),
      updates: changes.map((change) => ({ ref: change.ref, old_oid: change.oldOid, new_oid: change.newOid })),
    },
  )
}
