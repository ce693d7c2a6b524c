import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { rpc, type TestRunner } from '../../test/harness/runner.ts'
import { callApi, requireApi, tokenHeaders } from '../api.ts'
import { DATABASES, measureParts, nameOn, onBothDatabases } from '../databases/both-databases.ts'
import type { Figure, Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import type { Run } from '../run.ts'
import { measureFirstTasks } from '../runners/first-task.ts'
import { measureArtifact } from '../runners/artifact.ts'
import { pollIdly } from '../runners/idle-polls.ts'
import { type JobRepo, makeJobRepo, queueJobs, runJobs, startRunners } from '../runners/jobs.ts'
import { sendLongLog, textOfLine } from '../runners/long-log.ts'
import { cpuOf, memoryOf } from '../system/process-tree.ts'

const RUNNERS = 50
const POLLS_OF_RUNNER = 200
/** At this scale and above; fewer at smaller ones. */
const FULL_SCALE = 0.2
const PUSHES = 100
const JOBS = 500
const IDLE_RUNNERS = 500
const IDLE_SECONDS = 30
const LINES = 200_000
const ARTIFACT_MIB = 1024
const MIN_SHARE = 0.05
const NAMES = {
  poll: 'actions: CPU time of a poll without a task',
  idle: 'actions: CPU time in a second of 500 idle runners that poll every 2 s, by scale',
  idleDatabase: 'actions: CPU time of the database in this second',
  first: 'actions: end of a push to the first task, median, 50 runners that poll each second',
  last: 'actions: end of a push to the first task, longest',
  job: 'actions: CPU time of one of 500 short jobs of 50 runners, by scale',
  wall: 'actions: 500 short jobs of 50 runners, by scale',
  wrong: 'actions: jobs not run once',
  line: 'actions: CPU time of a line of 200,000 in a log, by scale',
  lost: 'actions: lines of the log missing or out of order',
  memory: 'actions: memory above that before the log',
  up: 'actions: upload of an artifact of 1 GiB, by scale, by CPU',
  down: 'actions: download of that artifact, by CPU',
  artifact: 'actions: memory above that before the artifact',
} as const
const MAX = {
  poll: 0.15,
  idle: 50,
  first: 400,
  last: 1100,
  job: 5,
  wallOfJob: 25,
  wrong: 0,
  line: 0.015,
  lost: 0,
  memory: 64,
  copy: 1 / 0.7,
} as const

/** Runners that poll, that get the job of a push, that run short jobs, and that send a long log. */
export const runners: Trial = {
  names: Object.values(NAMES).flatMap((name) => DATABASES.map((database) => nameOn(name, database))),
  needs: 'site',
  run: (run) => onBothDatabases(run, measureOn),
}

async function measureOn(run: Run, database: (typeof DATABASES)[number]): Promise<Figure[]> {
  const share = Math.min(1, Math.max(MIN_SHARE, run.options.scale / FULL_SCALE))
  const repo = await makeJobRepo(run)
  const started = await startRunners(run, repo, RUNNERS)
  const plan = (count: number): JobPlan => ({ repo, started, count: Math.round(count * share) })
  const { poll, idle, idleDatabase, first, last, job, wall, wrong, line, lost, memory, up, down, artifact } = NAMES
  return measureParts(run, database, [
    [[poll], () => measurePolls(run, started)],
    [[idle, idleDatabase], () => measureIdle(run, repo, share)],
    [[first, last], () => measurePushes(run, plan(PUSHES))],
    [[job, wall, wrong], () => measureJobs(run, plan(JOBS))],
    [[line, lost, memory], () => measureLog(run, { repo, started, lines: Math.round(LINES * share) })],
    [[up, down, artifact], () => measureCopies(run, plan(ARTIFACT_MIB))],
  ])
}

/** ms of the processes of the run. */
async function cpuDuring({ own }: Run, work: () => Promise<unknown>): Promise<number> {
  const spent = (): number => own!.pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const before = spent()
  await work()
  return spent() - before
}

async function measurePolls(run: Run, started: readonly TestRunner[]): Promise<Figure[]> {
  const poll = async (count: number): Promise<void> => {
    await Promise.all(
      started.map(async (runner) => {
        let { tasksVersion } = await runner.call(rpc.fetchTask, {})
        for (let i = 0; i < count; i++) ({ tasksVersion } = await runner.call(rpc.fetchTask, { tasksVersion }))
      }),
    )
  }
  await poll(POLLS_OF_RUNNER / 4)
  const cpu = await cpuDuring(run, () => poll(POLLS_OF_RUNNER))
  return [{ name: NAMES.poll, measured: cpu / (started.length * POLLS_OF_RUNNER), unit: 'ms', max: MAX.poll }]
}

async function measureIdle(run: Run, repo: JobRepo, share: number): Promise<Figure[]> {
  const count = Math.round(IDLE_RUNNERS * share)
  const runners = await startRunners(run, repo, count)
  const spent = (): readonly number[] => run.own!.pids.map(cpuOf)
  let before: readonly number[] = []
  await pollIdly(run.target.url, runners, {
    seconds: IDLE_SECONDS,
    began() {
      before = spent()
    },
  })
  const [server, ...database] = spent().map((ms, i) => (ms - before[i]!) / IDLE_SECONDS / share)
  return [
    { name: NAMES.idle, measured: server, unit: 'ms', max: MAX.idle },
    { name: NAMES.idleDatabase, measured: database[0], unit: 'ms' },
  ]
}

async function measurePushes(run: Run, { repo, started, count }: JobPlan): Promise<Figure[]> {
  const times = await measureFirstTasks(run, repo, { started, pushes: count })
  return [
    { name: NAMES.first, measured: median(times), unit: 'ms', max: MAX.first },
    { name: NAMES.last, measured: Math.max(...times), unit: 'ms', max: MAX.last },
  ]
}

interface JobPlan {
  readonly repo: JobRepo
  readonly started: readonly TestRunner[]
  readonly count: number
}

async function measureJobs(run: Run, { repo, started, count }: JobPlan): Promise<Figure[]> {
  const queued = await queueJobs(run, repo, count)
  let times: ReadonlyMap<string, number> = new Map()
  const begin = performance.now()
  const cpu = await cpuDuring(run, async () => {
    times = await runJobs(started, queued)
  })
  const wall = performance.now() - begin
  const once = [...times.values()].filter((count) => count === 1).length
  const wrong = queued - once + (times.size - once)
  return [
    { name: NAMES.job, measured: cpu / queued, unit: 'ms', max: MAX.job },
    { name: NAMES.wall, measured: wall, unit: 'ms', max: MAX.wallOfJob * queued },
    { name: NAMES.wrong, measured: wrong, unit: 'jobs', max: MAX.wrong },
  ]
}

interface LogPlan extends Omit<JobPlan, 'count'> {
  readonly lines: number
}

async function measureLog(run: Run, { repo, started, lines }: LogPlan): Promise<Figure[]> {
  const { target, own } = run
  await queueJobs(run, repo, 1)
  const runner = started[0]!
  const { task } = await runner.call(rpc.fetchTask, {})
  const pid = own!.server.child.pid!
  const memory = memoryOf(pid).now
  const { jobs } = await requireApi<{ jobs: { id: number }[] }>(target.url, {
    path: `${repo.path}/actions/jobs?status=in_progress`,
    headers: tokenHeaders(target),
  })
  const cpu = await cpuDuring(run, () => sendLongLog(runner, task!.id, lines))
  const highest = memoryOf(pid).now
  await runner.call(rpc.updateTask, { state: { id: task!.id, result: Result.SUCCESS } })
  const path = `${repo.path}/actions/jobs/${jobs[0]!.id}/logs`
  const { body } = await callApi(target.url, { path, headers: tokenHeaders(target) })
  return [
    { name: NAMES.line, measured: cpu / lines, unit: 'ms', max: MAX.line },
    { name: NAMES.lost, measured: countWrongLines(String(body), lines), unit: 'lines', max: MAX.lost },
    { name: NAMES.memory, measured: highest - memory, unit: 'MB', max: MAX.memory },
  ]
}

function countWrongLines(log: string, count: number): number {
  const stored = log.split('\n').slice(0, -1)
  const wrong = stored.filter((line, i) => line.slice(line.indexOf(' ') + 1) !== textOfLine(i)).length
  return wrong + Math.abs(count - stored.length)
}

/** `count` is that of MiB. */
async function measureCopies(run: Run, { repo, started, count }: JobPlan): Promise<Figure[]> {
  await queueJobs(run, repo, 1)
  const { up, down, copyIn, copyOut, memory } = await measureArtifact(run, started[0]!, count)
  const besides = (value: number) => ({ name: 'a bare copy', value })
  return [
    { name: NAMES.up, measured: up, unit: 'ms', beside: besides(copyIn), max: MAX.copy },
    { name: NAMES.down, measured: down, unit: 'ms', beside: besides(copyOut), max: MAX.copy },
    { name: NAMES.artifact, measured: memory, unit: 'MB', max: MAX.memory },
  ]
}
