import { isGitError, branchRef, type RefSnapshot } from '../../../../core/git/index.ts'
import { type FindingsByName, recheck } from '../../../../core/platform/recheck.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import type { Core, DoctorCheck, Finding } from '../../../../core/module.ts'
import { pullMergeRef } from '../pull.policy.ts'
import { type PullHead, listPullHeads } from '../records/records.store.ts'
import type { Db } from '../../../../core/db/database.ts'
import { type EventKind, type EventPayload, listPendingEvents } from '../../../../core/events/index.ts'
import { listUnfinishedJobs, type Jobs } from '../../../../core/jobs/index.ts'
import type { JobKind, JobPayload } from '../../../../core/jobs/catalog.ts'
import { systemActor } from '../../../../core/access/viewer.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { updateMergeRef } from '../mergeability/merge-ref.ts'
import { enqueueSync, refreshPull } from './sync-branch.ts'
import { restoreHeadRef, type HeadDeps } from './move-head.ts'
import type { LifecycleDeps } from './pull-change.ts'

const PULL_REF = /^refs\/pull\/(\d{1,15})\/(?:head|merge)$/
const HOUR_MS = 3_600_000

/** The inconsistencies that a crash can leave. */
interface PullDrift {
  readonly refs: RefSnapshot
  /** Pull requests whose refs are missing or differ from their rows. */
  readonly wrong: readonly PullHead[]
  /** Closed pull requests that still have the ref of a test merge. */
  readonly ended: readonly PullHead[]
  /** Numbers of refs that have no row. */
  readonly stray: readonly number[]
  /** Branches that moved without an update of the open pull requests from or into them. */
  readonly moved: readonly string[]
}

/** The difference between the rows of pull requests and the refs of their repository. */
async function findPullDrift(
  { database, git }: Pick<LifecycleDeps, 'database' | 'git'>,
  repo: Repo,
): Promise<PullDrift> {
  const heads = await listPullHeads(database.read, repo.id)
  const refs = await git.open(repo).refs.snapshot()
  const known = new Set(heads.map(({ number }) => number))
  const numbers = refs.list('refs/pull/').map(({ name }) => Number(PULL_REF.exec(name)?.[1] ?? 0))
  // NOTE: a pull request may be reopened without its branches.
  const hasMoved = (branch: string, oid: string): boolean =>
    ![undefined, oid].includes(refs.get(branchRef(branch))?.oid)
  const moved = heads
    .filter(({ isClosed }) => !isClosed)
    .flatMap(({ base, branch, checkedBaseOid, oid }) => [
      ...(hasMoved(base, checkedBaseOid) ? [base] : []),
      ...(branch !== undefined && hasMoved(branch, oid) ? [branch] : []),
    ])
  return {
    refs,
    wrong: heads.filter(({ ref, oid }) => refs.get(ref)?.oid !== oid),
    ended: heads.filter(({ isClosed, number }) => isClosed && refs.get(pullMergeRef(number)) !== undefined),
    stray: [...new Set(numbers)].filter((number) => number > 0 && !known.has(number)),
    moved: [...new Set(moved)],
  }
}

/**
 * After a crash: writes missing head refs, deletes merge refs of closed pull requests, enqueues the deletion of refs
 * without a row, and enqueues updates to branches that moved. The job that deletes waits, because a push may be about
 * to insert the row.
 */
export async function reconcilePulls(deps: HeadDeps & { readonly jobs: Jobs }, repoId: RepoId): Promise<void> {
  const { database, jobs, log } = deps
  const repo = await repoQueries.findById(database.read, repoId)
  if (repo === undefined) return
  const { refs, wrong, ended, stray, moved } = await findPullDrift(deps, repo)
  for (const { pullId, ref, number, isClosed } of wrong) {
    log.warn({ repo: repoId, ref }, 'the head of a pull request differs from its row; correcting it')
    if (isClosed || refs.get(ref) === undefined) await restoreHeadRef(deps, { id: pullId, repo, number })
    if (!isClosed) await refreshPull(deps, systemActor, pullId)
  }
  for (const { pullId, number } of ended) await updateMergeRef(deps, { id: pullId, repo, number }, { makes: false })
  if (stray.length + moved.length === 0) return
  await database.transaction(async (tx) => {
    for (const number of stray) {
      const options = { key: `${repoId} ${number}`, delay: HOUR_MS }
      await jobs.enqueue(tx, 'pulls.delete_ref', { repo_id: repoId, number }, options)
    }
    for (const branch of moved) await enqueueSync(tx, jobs, { repoId, branch }, systemActor.account.id)
  })
}

type Deps = Parameters<typeof reconcilePulls>[0]
type Findings = AsyncGenerator<Finding, void, undefined>

interface Fault {
  readonly state: 'problem'
  /** Constant as long as neither the ref nor the row changes. */
  readonly value: string
  /** Undefined when git could not read the refs. */
  readonly head: PullHead | undefined
}

/**
 * Finds pull requests whose head ref is missing or differs from the row, which `fix` rewrites, and closed ones that
 * have the ref of a test merge, which `fix` deletes. Without `fix` the server may be running: findings are checked
 * again after a second, once for all repositories, and those that a pending job will repair are notes.
 */
export const pullRefsCheck = (deps: Deps & Pick<Core, 'tuning'>): DoctorCheck => ({
  name: 'pull requests',
  async *run({ fix }) {
    const suspects = new Map<Repo['id'], FindingsByName<Fault>>()
    for await (const id of repoQueries.walkIds(deps.database.read)) {
      const faults = await findFaults(deps, id)
      if (faults.size === 0) continue
      if (fix) yield* repair(deps, id, faults)
      else suspects.set(id, faults)
    }
    yield* recheck(suspects, {
      check: (id) => findFaults(deps, id),
      async loadPending() {
        const isPending = await loadPendingSyncs(deps.database.read)
        return ({ head }) => head !== undefined && isPending(head)
      },
      pauseMs: deps.tuning.recheckMs,
    })
  },
})

/** Empty for a repository that was deleted, and for one without a directory, which another check reports. */
async function findFaults(deps: Deps, id: Repo['id']): Promise<FindingsByName<Fault>> {
  const repo = await repoQueries.findById(deps.database.read, id)
  if (repo === undefined || !(await deps.git.repoExists(repo.storage))) return new Map()
  try {
    return await compareRefs(deps, repo)
  } catch (error) {
    if (!isGitError(error)) throw error
    const isThere = (await repoQueries.findById(deps.database.read, id)) !== undefined
    return new Map(
      isThere ? [[`${repo.fullName}: ${error.message}`, { state: 'problem', value: '', head: undefined }]] : [],
    )
  }
}

async function compareRefs(deps: Deps, repo: Repo): Promise<FindingsByName<Fault>> {
  const { refs, wrong, ended } = await findPullDrift(deps, repo)
  const fault = (head: PullHead, ref: string, text: string): [string, Fault] => [
    `${repo.fullName}: ${ref} ${text}`,
    { state: 'problem', value: `${refs.get(ref)?.oid} ${head.oid} ${head.isClosed}`, head },
  ]
  return new Map([
    ...wrong.map((head) => fault(head, head.ref, refs.get(head.ref) ? 'differs from its row' : 'is missing')),
    ...ended.map((head) => fault(head, pullMergeRef(head.number), 'is of a closed pull request')),
  ])
}

async function* repair(deps: Deps, id: Repo['id'], faults: FindingsByName<Fault>): Findings {
  const isReadable = [...faults.values()].every(({ head }) => head !== undefined)
  if (isReadable) await reconcilePulls(deps, id)
  const remaining = isReadable ? await findFaults(deps, id) : faults
  for (const what of faults.keys()) yield { what, state: remaining.has(what) ? 'problem' : 'fixed' }
}

/** Whether this job or event will make the refs of the pull request agree with its row. */
type Concerns<Payload> = (payload: Payload, head: PullHead) => boolean

const byJob: { readonly [Kind in JobKind]?: Concerns<JobPayload<Kind>> } = {
  'pulls.sync_branch': ({ repo_id, branch }, { head }) => head?.repoId === repo_id && head.branch === branch,
  'pulls.refresh': ({ pull_id }, { pullId }) => pullId === pull_id,
  'pulls.restore_ref': ({ pull_id }, { pullId }) => pullId === pull_id,
  'repos.reconcile': () => true,
}

const byEvent: { readonly [Kind in EventKind]?: Concerns<EventPayload<Kind>> } = {
  'issue.closed': ({ issue_id }, { issueId }) => issueId === issue_id,
  'issue.reopened': ({ issue_id }, { issueId }) => issueId === issue_id,
  'pull.retargeted': ({ pull_id }, { pullId }) => pullId === pull_id,
  'repo.pushed': ({ repo_id, updates }, { head }) =>
    head?.repoId === repo_id && updates.some(({ ref }) => ref === branchRef(head.branch)),
}

/**
 * Returns whether a pending job, or an event that will enqueue one, will make refs and row of a pull request agree.
 * NOTE: events are read first: once an event is handled, its job exists.
 */
async function loadPendingSyncs(db: Db): Promise<(head: PullHead) => boolean> {
  const events = await listPendingEvents(db, Object.keys(byEvent))
  const jobs = await listUnfinishedJobs(db, Object.keys(byJob))
  const pending = [...events.map(toTest(byEvent)), ...jobs.map(toTest(byJob))]
  return (head) => pending.some((concerns) => concerns(head))
}

const toTest =
  (rules: Readonly<Record<string, unknown>>) =>
  ({ kind, payload }: { readonly kind: string; readonly payload: string }): ((head: PullHead) => boolean) => {
    const read: unknown = JSON.parse(payload)
    return (head) => (rules[kind] as Concerns<unknown>)(read, head)
  }
