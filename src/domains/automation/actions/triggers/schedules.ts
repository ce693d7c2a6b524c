import { NO_ACCESS, hasUnit } from '../../../../core/access/repo-access.ts'
import { actorOf, ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Services } from '../../../../core/module.ts'
import { branchRef, ignoringMissing } from '../../../../core/git/index.ts'
import { asId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import { userPresenters } from '../../../accounts/index.ts'
import { presentRepo, type Repo, repoQueries } from '../../../repositories/index.ts'
import { listAllJobsOfRun } from '../runs/job.store.ts'
import { listOpenRuns, lockRun } from '../runs/run.store.ts'
import { nextTime } from '../workflows/reading/cron.ts'
import { listWorkflowFiles } from '../workflows/workflow-files.ts'
import type { Members } from '../workflows/reading/problem.ts'
import { hasWorkflows, lockWorkflows } from '../workflows/workflow-state.store.ts'
import {
  deleteSchedules,
  insertSchedules,
  listDueSchedules,
  listSchedules,
  type NewSchedule,
  type Schedule,
  type SchedulePush,
  updateSchedulePushes,
  updateScheduleTime,
} from './schedule.store.ts'
import { forEach, type StartDeps, startOne } from './start-runs.ts'

export interface ScheduleDeps extends StartDeps {
  readonly repos: Pick<Services['repos'], 'view'>
  readonly runProgress: Services['runProgress']
}

const ON = 'schedule'
const JOBS = actorOf(asId(-2))
/** The maximum number of schedules of one repository; others are ignored. */
const MAX_SCHEDULES = 200
const BATCH = 50

/**
 * Reads the schedules of the default branch again. Schedules no longer in the file are deleted, and their unfinished
 * runs are cancelled (behaviour/actions#from-event-to-jobs). Without a push, the others keep their runs.
 */
export async function readSchedules(deps: ScheduleDeps, repoId: RepoId, push?: SchedulePush): Promise<void> {
  for (;;) {
    const repo = await repoQueries.findById(deps.database.read, repoId)
    if (repo === undefined) return
    const tip = await tipOf(deps, repo)
    const wanted = await listWanted(deps, repo, tip)
    const registering = push?.after === tip ? push : undefined
    if (wanted.length > 0 || (await hasWorkflows(deps.database.read, repoId)))
      await store(deps, repoId, { wanted, push: registering })
    // Another process may have found less to store at a newer commit before this one stored.
    if ((await tipOf(deps, repo)) === tip) return
  }
}

const tipOf = async ({ git }: ScheduleDeps, repo: Repo): Promise<string | undefined> =>
  (await git.open(repo).refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid

async function store(
  deps: ScheduleDeps,
  repoId: RepoId,
  { wanted, push }: { readonly wanted: readonly NewSchedule[]; readonly push: SchedulePush | undefined },
): Promise<void> {
  const { database, clock, runProgress } = deps
  await database.transaction(async (tx) => {
    await lockWorkflows(tx, repoId)
    const present = await listSchedules(tx, repoId)
    const keyOf = ({ workflowPath, cron }: NewSchedule): string => `${workflowPath}\n${cron}`
    const [before, after] = [new Set(present.map(keyOf)), new Set(wanted.map(keyOf))]
    await deleteSchedules(
      tx,
      present.filter((one) => !after.has(keyOf(one))).map(({ id }) => id),
    )
    const added = wanted.filter((one) => !before.has(keyOf(one)))
    await insertSchedules(tx, repoId, { schedules: added, at: clock.now() })
    const isNewest = present.every((one) => (one.push?.eventId ?? 0) < (push?.eventId ?? 0))
    if (push !== undefined && isNewest) await updateSchedulePushes(tx, repoId, push)
    const kept = new Set(wanted.map(({ workflow }) => workflow))
    for (const { id, workflow } of present.length === 0 ? [] : await listOpenRuns(tx, repoId, ON)) {
      const run = kept.has(workflow) ? undefined : await lockRun(tx, repoId, id)
      if (run !== undefined) await runProgress.cancel(tx, run, await listAllJobsOfRun(tx, id))
    }
  })
}

async function listWanted(
  { git, reader, clock }: ScheduleDeps,
  repo: Repo,
  tip: string | undefined,
): Promise<NewSchedule[]> {
  const opened = git.open(repo)
  const wanted: NewSchedule[] = []
  for (const { name, path, oid } of tip === undefined ? [] : await listWorkflowFiles(opened, tip)) {
    const result = await reader.read({ git: opened, oid, rateLimitKey: `repo:${repo.id}` })
    for (const cron of new Set('found' in result ? result.found.crons : [])) {
      const nextAt = nextTime(cron, clock.now())
      if (nextAt !== undefined && wanted.length < MAX_SCHEDULES)
        wanted.push({ workflow: name, workflowPath: path, cron, nextAt })
    }
  }
  return wanted
}

/**
 * Starts the runs that are due, each once: a schedule that was missed several times starts one. Those that fail remain
 * due, and are thrown when all others have been tried.
 */
export async function startDueRuns(deps: ScheduleDeps, signal: AbortSignal): Promise<void> {
  const { database, clock } = deps
  const now = clock.now()
  const failures: unknown[] = []
  for (let after: Schedule | undefined; ;) {
    const due = await listDueSchedules(database.read, { now, after, limit: BATCH })
    await forEach(due, async (schedule) => {
      if (signal.aborted) return
      await startScheduled(deps, schedule)
      const next = nextTime(schedule.cron, clock.now())
      await database.transaction((tx) =>
        next === undefined ? deleteSchedules(tx, [schedule.id]) : updateScheduleTime(tx, schedule.id, next),
      )
    }).catch((error: unknown) => failures.push(error))
    if (signal.aborted || due.length < BATCH) break
    after = due.at(-1)
  }
  if (failures.length > 0) throw failures[0]
}

async function startScheduled(deps: ScheduleDeps, schedule: Schedule): Promise<void> {
  const { id, repoId, workflowPath, cron, nextAt } = schedule
  const repo = await repoQueries.findById(deps.database.read, repoId)
  if (repo === undefined || repo.isArchived || !hasUnit(repo.units, 'repo.actions')) return
  const git = deps.git.open(repo)
  const ref = branchRef(repo.defaultBranch)
  const tip = await tipOf(deps, repo)
  const commit = tip === undefined ? undefined : await ignoringMissing(() => git.objects.commit(tip))
  if (commit === undefined) return
  const file = (await listWorkflowFiles(git, commit.oid)).find(({ path }) => path === workflowPath)
  if (file === undefined) return
  const view = await deps.repos.view(ANONYMOUS, { repo, access: NO_ACCESS })
  const located = {
    on: ON,
    repo,
    git,
    actor: JOBS,
    ref,
    oid: commit.oid,
    message: commit.message,
    depth: 0,
    source: `${ON}:${id}:${nextAt}`,
    payload: {
      schedule: cron,
      workflow: workflowPath,
      repository: presentRepo(view, deps.site),
      sender: userPresenters.presentVirtualById(JOBS.account.id, deps.site),
      ...(await payloadOf(deps, schedule)),
    },
    facts: {},
    isFromFork: false,
  }
  await startOne(deps, located, { file, trigger: { event: ON, filters: {} } })
}

/** The payload of the push that registered a schedule; empty if there is none, or its commits no longer exist. */
async function payloadOf({ messageBuilders }: ScheduleDeps, { repoId, push }: Schedule): Promise<Members> {
  if (push === undefined) return {}
  const { eventId: id, actorId, ref, before, after } = push
  const kind = 'repo.pushed'
  const payload = { repo_id: repoId, updates: [{ ref, old_oid: before, new_oid: after }] }
  const event = { id, kind, repoId, actorId, at: 0, payload } as const
  const messages = await ignoringMissing(async () => messageBuilders.get(kind)?.(event))
  return messages?.find((one) => one.eventType === 'push')?.payload ?? {}
}
