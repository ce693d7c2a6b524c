import { setTimeout as wait } from 'node:timers/promises'
import { isGitError } from '../../../git/index.ts'
import { findRepoById, type Repo, walkRepoIds } from '../../repos/index.ts'
import type { DoctorCheck, Finding } from '../../subject.ts'
import { pullMergeRef } from '../pull.policy.ts'
import type { PullHead } from '../records/pull-heads.store.ts'
import { loadPendingFollows } from './pending-follows.ts'
import { findPullDrift, type PullDrift, reconcilePulls } from './reconcile-pulls.ts'

type Deps = Parameters<typeof reconcilePulls>[0]
type Findings = AsyncGenerator<Finding, void, undefined>

interface Fault {
  readonly text: string
  /** The same as long as neither the ref nor the row changes. */
  readonly state: string
  readonly head: PullHead
}

/** By ref. */
type Faults = ReadonlyMap<string, Fault>

/** On a running server a push moves the refs of its pull requests some milliseconds before their rows. */
const SECOND_LOOK_MS = 1000

/**
 * Finds pull requests whose head ref is missing or differs from the row, which `fix` writes, and closed ones with the
 * ref of a test merge, which `fix` deletes. Without `fix` the server may be running: what is found is looked at again
 * after a second, once for all repositories, and what a job is about to repair is a note.
 */
export const pullRefsCheck = (deps: Deps): DoctorCheck => ({
  name: 'pull requests',
  async *run({ fix }) {
    const suspects = new Map<Repo['id'], Faults>()
    for await (const id of walkRepoIds(deps.database.read)) {
      const found = yield* faultsIn(deps, id)
      if (found === undefined) continue
      if (fix) yield* repair(deps, found)
      else suspects.set(id, found.faults)
    }
    if (suspects.size > 0) yield* lookAgain(deps, suspects)
  },
})

interface Found {
  readonly repo: Repo
  readonly faults: Faults
}

/** Undefined where nothing is wrong, and where the repository was deleted meanwhile. */
async function* faultsIn(deps: Deps, id: Repo['id']): AsyncGenerator<Finding, Found | undefined, undefined> {
  const repo = await findRepoById(deps.database.read, id)
  if (repo === undefined || !(await deps.git.repoExists(repo.storage))) return undefined
  try {
    const faults = faultsOf(await findPullDrift(deps, repo))
    return faults.size === 0 ? undefined : { repo, faults }
  } catch (error) {
    if (!isGitError(error)) throw error
    if (await findRepoById(deps.database.read, id)) yield finding(repo, error.message, 'problem')
    return undefined
  }
}

async function* repair(deps: Deps, { repo, faults }: Found): Findings {
  await reconcilePulls(deps, repo.id)
  const left = faultsOf(await findPullDrift(deps, repo))
  for (const [ref, { text }] of faults) yield finding(repo, `${ref} ${text}`, left.has(ref) ? 'problem' : 'fixed')
}

/** NOTE: what is pending is read before the second look: what ends in between has left nothing to find. */
async function* lookAgain(deps: Deps, suspects: ReadonlyMap<Repo['id'], Faults>): Findings {
  await wait(SECOND_LOOK_MS)
  const isPending = await loadPendingFollows(deps.database.read)
  for (const [id, before] of suspects) {
    const found = yield* faultsIn(deps, id)
    for (const [ref, { text, state, head }] of found?.faults ?? [])
      if (before.get(ref)?.state === state)
        yield isPending(head)
          ? finding(found!.repo, `${ref} ${text}; a background job is about to change that`, 'note')
          : finding(found!.repo, `${ref} ${text}`, 'problem')
  }
}

const finding = (repo: Repo, what: string, state: Finding['state']): Finding => ({
  what: `${repo.fullName}: ${what}`,
  state,
})

function faultsOf({ refs, wrong, ended }: PullDrift): Faults {
  const fault = (head: PullHead, ref: string, text: string) =>
    [ref, { text, state: `${refs.get(ref)?.oid} ${head.oid} ${head.isClosed}`, head }] as const
  return new Map([
    ...wrong.map((head) => fault(head, head.ref, refs.get(head.ref) ? 'differs from its row' : 'is missing')),
    ...ended.map((head) => fault(head, pullMergeRef(head.number), 'is of a closed pull request')),
  ])
}
