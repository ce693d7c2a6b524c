import { branchRef, type GitRepo, RefConflictError } from '../../../../core/git/index.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import { findLocation, type LifecycleDeps, type PullLocation } from '../lifecycle/pull-change.ts'
import { mergeabilityOf, pullMergeRef } from '../pull.policy.ts'
import { findPull, type Pull, type MergeCheck } from '../records/pull.store.ts'
import { listOpenPullsOfStorage } from './merge-ref.store.ts'

export interface CheckedTree extends MergeCheck {
  /** The tree of the merge; undefined for conflicts and when there is nothing to merge. */
  readonly tree: string | undefined
}

interface Checked extends CheckedTree {
  /** The merge base; the tip of the base for unrelated histories. */
  readonly mergeBase: string
}

/** The limit of the row; clients show fewer. */
const MAX_CONFLICTS = 100

/**
 * Tries a merge of the head into the base (behaviour/pull-requests#mergeability). The repository has the objects of
 * both; call within `writing`. At most one git process; none when the base did not touch the files that the head
 * changes.
 */
export async function checkMerge(git: GitRepo, baseOid: string, headOid: string): Promise<Checked> {
  const mergeBase = await git.history.mergeBase(baseOid, headOid)
  const checked = { baseOid, headOid, mergeBase: mergeBase ?? baseOid, conflicts: [], tree: undefined }
  if (mergeBase === undefined) return { ...checked, state: 'conflict' }
  if (mergeBase === headOid) return { ...checked, state: 'ancestor' }
  const [base, head] = await Promise.all([git.objects.commit(baseOid), git.objects.commit(headOid)])
  const { tree, conflicts } =
    mergeBase === baseOid ? { tree: head.tree, conflicts: [] } : await git.merges.tryMerge(baseOid, headOid)
  if (conflicts.length > 0) return { ...checked, state: 'conflict', conflicts: conflicts.slice(0, MAX_CONFLICTS) }
  return { ...checked, tree, state: tree === base.tree ? 'empty' : 'mergeable' }
}

/** The column values of a check. */
export const checkColumns = ({ state, baseOid, headOid, conflicts }: MergeCheck) => ({
  mergeability: state,
  checked_base_oid: baseOid,
  checked_head_oid: headOid,
  conflicts: conflicts.length === 0 ? '' : JSON.stringify(conflicts),
})

type Deps = Pick<LifecycleDeps, 'database' | 'git'>

/** The tips may move during the merge, and another process may write the ref. */
const MAX_ROUNDS = 5

interface MergeRefOptions {
  /** Creates the ref if it does not exist. */
  readonly makes: boolean
  /** The caller's result for some tips, which is reused. */
  readonly checked?: CheckedTree | undefined
}

/**
 * Points `refs/pull/{number}/merge` to the merge of the present tips of head and base; deletes the ref when they cannot
 * be merged, and for a closed or deleted pull request (behaviour/pull-requests#the-test-merge). Does nothing when the
 * ref is up to date, and, unless `makes`, when it does not exist. At most two git processes in a round.
 */
export async function updateMergeRef(
  { database, git }: Deps,
  { id, repo, number }: PullLocation,
  { makes, checked }: MergeRefOptions,
): Promise<void> {
  const opened = git.open(repo)
  const ref = pullMergeRef(number)
  if (!makes && (await opened.refs.snapshot()).get(ref) === undefined) return
  await opened.writing(async () => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const pull = await findPull(database.read, id)
      const refs = await opened.refs.snapshot()
      const old = refs.get(ref)?.oid
      const baseOid = pull && refs.get(branchRef(pull.baseBranch))?.oid
      const isOpen = pull !== undefined && !pull.isClosed && baseOid !== undefined
      const wanted = isOpen ? await testMerge(opened, pull, { baseOid, old, checked }) : undefined
      if (wanted === old) return
      await opened.refs
        .update([{ ref, old: old ?? opened.zeroOid, new: wanted ?? opened.zeroOid }])
        .catch((error: unknown) => {
          if (!(error instanceof RefConflictError)) throw error
        })
    }
    throw conflict('the branches of the pull request move all the time')
  })
}

interface Known {
  readonly baseOid: string
  /** The current value of the ref. */
  readonly old: string | undefined
  readonly checked: CheckedTree | undefined
}

/** The merge commit; undefined for conflicts and for a head without commits of its own. */
async function testMerge(git: GitRepo, pull: Pull, { baseOid, old, checked }: Known): Promise<string | undefined> {
  const { headOid } = pull
  const parents = [baseOid, headOid]
  if (old !== undefined && (await git.objects.commit(old)).parents.join() === parents.join()) return old
  if (UNMERGEABLE.has(mergeabilityOf(pull, { baseOid, headOid }))) return undefined
  const isKnown = checked?.baseOid === baseOid && checked.headOid === headOid
  if (isKnown && checked.tree === undefined) return undefined
  const tips = await Promise.all(parents.map((oid) => git.objects.commit(oid)))
  // NOTE: the commit depends only on its parents, so that every process creates the same one.
  const server = { ...SERVER, time: Math.max(...tips.map(({ committer }) => committer.time)), offset: 0 }
  const message = `Merge ${headOid} into ${baseOid}\n`
  const outcome = await git.merges.build({
    style: 'merge',
    base: baseOid,
    head: headOid,
    commit: async (writer, made) => writer.commit({ ...made, author: server, committer: server, message }),
    replaying: { committer: server },
  })
  return outcome.kind === 'built' ? outcome.commit : undefined
}

const UNMERGEABLE: ReadonlySet<string> = new Set(['ancestor', 'conflict'])
const SERVER = { name: 'ingot', email: 'ingot@localhost' }

const MERGE = /^refs\/pull\/(\d{1,15})\/merge$/
/** The maximum number of refs that one request updates; further ones are listed without an update. */
const MAX_REQUESTED = 16

/** Updates the merge refs that a client requests by name; ignores other refs. */
export async function updateRequestedMergeRefs(
  deps: LifecycleDeps,
  storage: string,
  names: readonly string[],
): Promise<void> {
  const numbers = new Set(names.flatMap((name) => MERGE.exec(name)?.[1] ?? []).map(Number))
  if (numbers.size === 0) return
  const { read } = deps.database
  for (const { id } of await listOpenPullsOfStorage(read, storage, [...numbers].slice(0, MAX_REQUESTED))) {
    const pull = await findPull(read, id)
    const location = pull && (await findLocation(deps, pull))
    if (location !== undefined) await updateMergeRef(deps, location, { makes: true })
  }
}
