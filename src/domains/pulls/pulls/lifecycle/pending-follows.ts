import type { Db } from '../../../../core/db/database.ts'
import { type EventKind, type EventPayload, listPendingEvents } from '../../../../core/events/index.ts'
import { listUnfinishedJobs } from '../../../../core/jobs/index.ts'
import { branchRef } from '../../../../core/git/index.ts'
import type { JobKind, JobPayload } from '../../../../core/jobs/catalog.ts'
import type { PullHead } from '../records/pull-heads.store.ts'

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
 * Tells of which pull requests a job, or an event that has yet to enqueue one, makes refs and row agree. NOTE: the events
 * are read first: the jobs that take their place are there when they are gone.
 */
export async function loadPendingFollows(db: Db): Promise<(head: PullHead) => boolean> {
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
