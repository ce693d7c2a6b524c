import { isGitError, branchRef } from '../../../../core/git/index.ts'
import { type Look, lookAgain } from '../../../../core/platform/second-look.ts'
import { type Repo, findRepoById, walkRepoIds } from '../../../repositories/index.ts'
import type { DoctorCheck, Finding } from '../../../../core/module.ts'
import { pullMergeRef } from '../pull.policy.ts'
import type { PullHead } from '../records/pull-heads.store.ts'
import { findPullDrift, reconcilePulls } from './reconcile-pulls.ts'
import type { Db } from '../../../../core/db/database.ts'
import { type EventKind, type EventPayload, listPendingEvents } from '../../../../core/events/index.ts'
import { listUnfinishedJobs } from '../../../../core/jobs/index.ts'
import type { JobKind, JobPayload } from '../../../../core/jobs/catalog.ts'

type Deps = Parameters<typeof reconcilePulls>[0]
type Findings = AsyncGenerator<Finding, void, undefined>

interface Fault {
  readonly state: 'problem'
  /** The same as long as neither the ref nor the row changes. */
  readonly value: string
  /** Undefined where git could not read the refs. */
  readonly head: PullHead | undefined
}

/**
 * Finds pull requests whose head ref is missing or differs from the row, which `fix` writes, and closed ones with the
 * ref of a test merge, which `fix` deletes. Without `fix` the server may be running: what is found is looked at again
 * after a second, once for all repositories, and what a job is about to repair is a note.
 */
export const pullRefsCheck = (deps: Deps): DoctorCheck => ({
  name: 'pull requests',
  async *run({ fix }) {
    const suspects = new Map<Repo['id'], Look<Fault>>()
    for await (const id of walkRepoIds(deps.database.read)) {
      const faults = await findFaults(deps, id)
      if (faults.size === 0) continue
      if (fix) yield* repair(deps, id, faults)
      else suspects.set(id, faults)
    }
    yield* lookAgain(suspects, {
      look: (id) => findFaults(deps, id),
      async loadPending() {
        const isPending = await loadPendingSyncs(deps.database.read)
        return ({ head }) => head !== undefined && isPending(head)
      },
    })
  },
})

/** Empty for a repository that was deleted, and for one without a directory, which another check names. */
async function findFaults(deps: Deps, id: Repo['id']): Promise<Look<Fault>> {
  const repo = await findRepoById(deps.database.read, id)
  if (repo === undefined || !(await deps.git.repoExists(repo.storage))) return new Map()
  try {
    return await compareRefs(deps, repo)
  } catch (error) {
    if (!isGitError(error)) throw error
    const isThere = (await findRepoById(deps.database.read, id)) !== undefined
    return new Map(
      isThere ? [[`${repo.fullName}: ${error.message}`, { state: 'problem', value: '', head: undefined }]] : [],
    )
  }
}

async function compareRefs(deps: Deps, repo: Repo): Promise<Look<Fault>> {
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

async function* repair(deps: Deps, id: Repo['id'], faults: Look<Fault>): Findings {
  const isReadable = [...faults.values()].every(({ head }) => head !== undefined)
  if (isReadable) await reconcilePulls(deps, id)
  const left = isReadable ? await findFaults(deps, id) : faults
  for (const what of faults.keys()) yield { what, state: left.has(what) ? 'problem' : 'fixed' }
}

/** Whether this is about to make the refs of the pull request agree with its row. */
type Concerns<Payload> = (payload: Payload, head: PullHead) => boolean

const byJob: { readonly [Kind in JobKind]?: Concerns<JobPayload<Kind>> } = {
  'pulls.follow_branch': ({ repo_id, branch }, { head }) => head?.repoId === repo_id && head.branch === branch,
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
 * Returns whether a job, or an event that will enqueue one, is about to make refs and row of a pull request agree. NOTE:
 * the events are read first: when an event is handled, its job exists.
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
