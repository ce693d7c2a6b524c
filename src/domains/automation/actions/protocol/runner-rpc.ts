import { Readable as Stream } from 'node:stream'
import type { JsonObject } from '@bufbuild/protobuf'
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import type { Headers } from '../../../../core/access/viewer.ts'
import type { RequestState } from '../../../../core/http/request-state.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import type { Registration } from '../runners/registration.service.ts'
import type { RunnerLogin } from '../runners/runner-login.ts'
import type { Runner } from '../runners/runner.store.ts'
import { lineOfRow, type LogPart, readLogRequest } from '../tasks/log-request.ts'
import type { FullTask, TaskContext } from '../tasks/task-context.ts'
import type { TaskLogs } from '../tasks/task-log.service.ts'
import type { TaskAnswer, TaskQueue } from '../tasks/task-queue.service.ts'
import type { TaskReport, TaskReports } from '../tasks/task-reports.service.ts'
import type { RunStatus } from '../runs/run-status.policy.ts'
import { PingService } from './proto/ping_pb.js'
import {
  type RegisterRequest,
  Result,
  RunnerService,
  RunnerStatus,
  type UpdateLogRequest,
  type UpdateTaskRequest,
} from './proto/runner_pb.js'
import { openBody } from './rpc-messages.routes.ts'
import { serveRpc } from './rpc.routes.ts'

export interface RunnerRpcDeps {
  readonly log: Logger
  readonly login: RunnerLogin
  readonly registration: Registration
  readonly queue: TaskQueue
  readonly context: TaskContext
  readonly reports: TaskReports
  readonly logs: TaskLogs
}

/** Bytes of a message of a client that has not been authenticated. */
const SMALL = 64 * 1024
/** Bytes of a report with outputs. */
const LARGE = 16 * 1024 * 1024

/** The methods that runners call, by `<service>/<method>` (behaviour/actions#runner-protocol). */
export function createRunnerRpc({ log, login, registration, queue, context, reports, logs }: RunnerRpcDeps) {
  const loadTasks = async ({ tasks }: TaskAnswer) =>
    (await Promise.all(tasks.map(context.load))).filter((task) => task !== undefined).map(presentTask)

  /** The runner that reports of a task. Throws Unauthenticated. */
  const requireReporter = ({ request, read }: Reading) =>
    login.authenticate(request, { isActive: true }).catch(async (error: unknown) => {
      // NOTE: an invalid message is refused as such, whoever sends it; a long one is not read for that.
      const { 'content-length': length, 'content-encoding': encoding } = request.headers
      if (Number(length ?? SMALL) < SMALL && encoding === undefined) await read(SMALL)
      throw error
    })

  return new Map([
    ...serveRpc(PingService, { ping: async ({ read }) => ({ data: `Hello, ${(await read(SMALL)).data}!` }) }, log),
    ...serveRpc(
      RunnerService,
      {
        async register({ read }) {
          const message = await read(SMALL)
          const { runner, token } = await registration.register(message.token, {
            name: message.name,
            version: message.version,
            labels: labelsOf(message),
            capabilities: message.capabilities,
            isEphemeral: message.ephemeral,
          })
          return { runner: { ...presentRunner(runner), token } }
        },
        async fetchTask({ request, read }) {
          const { tasksVersion, taskCapacity } = await read(SMALL)
          const runner = await login.authenticate(request, { isIdle: tasksVersion > 0n })
          const wanted = { queueVersion: Number(tasksVersion), capacity: Number(taskCapacity ?? 1) }
          const answer = await queue.fetch(runner, { ...wanted, requestKey: requestKeyOf(request) })
          if (answer.tasks.length === 0) return withoutTask(request, answer)
          const [task, ...additionalTasks] = await loadTasks(answer)
          return { ...(task && { task, additionalTasks }), tasksVersion: BigInt(answer.queueVersion) }
        },
        async fetchSingleTask({ request, read }) {
          const { handle } = await read(SMALL)
          const runner = await login.authenticate(request)
          const answer = await queue.fetchSingle(runner, handle, requestKeyOf(request))
          if (answer.tasks.length === 0) return withoutTask(request, answer)
          const [task] = await loadTasks(answer)
          return { ...(task && { task }), tasksVersion: BigInt(answer.queueVersion) }
        },
        async updateTask({ request, read }) {
          const runner = await requireReporter({ request, read })
          const report = readReport(await read(LARGE))
          request.state.isQuiet = report.result === undefined
          const { status, outputNames } = await reports.report(runner, report)
          return {
            state: { id: BigInt(report.taskId), result: RESULTS[status] ?? Result.UNSPECIFIED },
            sentOutputs: [...outputNames],
          }
        },
        async updateLog({ request, encoding, read }) {
          request.state.isQuiet = true
          const runner = await requireReporter({ request, read })
          if (encoding === 'application/json')
            return { ackIndex: BigInt(await logs.append(runner, Stream.from([readLogPart(await read(LARGE))]))) }
          return { ackIndex: BigInt(await logs.append(runner, readLogRequest(openBody(request)))) }
        },
        async declare({ request, reply, read }) {
          const { version, labels, capabilities } = await read(SMALL)
          const { id } = await login.authenticate(request)
          void reply.header('x-gitea-actions-capabilities', 'job-summary')
          return { runner: presentRunner(await registration.declare(id, { version, labels, capabilities })) }
        },
      },
      log,
    ),
  ])
}

interface Reading {
  readonly request: { readonly headers: Headers }
  read(limit: number): Promise<unknown>
}

/** NOTE: at the level info, polls of idle runners and the reports of each second would be most of the log. */
interface Quietable {
  readonly state: Pick<RequestState, 'isQuiet'>
}

function withoutTask({ state }: Quietable, { queueVersion }: TaskAnswer) {
  state.isQuiet = true
  return { tasksVersion: BigInt(queueVersion) }
}

const labelsOf = ({ labels, agentLabels, customLabels }: RegisterRequest): readonly string[] =>
  labels.length > 0 ? labels : [...agentLabels, ...customLabels]

const presentRunner = ({ id, uuid, name, version, labels, isEphemeral }: Runner) => ({
  id: BigInt(id),
  uuid,
  name,
  version,
  status: RunnerStatus.IDLE,
  labels: [...labels],
  ephemeral: isEphemeral,
})

const RESULTS: Readonly<Partial<Record<RunStatus, Result>>> = {
  success: Result.SUCCESS,
  failure: Result.FAILURE,
  cancelled: Result.CANCELLED,
  skipped: Result.SKIPPED,
}
const STATUSES = new Map(Object.entries(RESULTS).map(([status, result]) => [result, status as RunStatus]))

const MAX_KEY = 255
const requestKeyOf = ({ headers }: { readonly headers: Headers }): string => {
  const key = headers['x-runner-request-key']
  return typeof key === 'string' && key.length <= MAX_KEY ? key : ''
}

const presentTask = ({ id, workflow, context, secrets, variables, needs }: FullTask) => ({
  id: BigInt(id),
  workflowPayload: Buffer.from(workflow),
  context: context as JsonObject,
  secrets: { ...secrets },
  vars: { ...variables },
  needs: Object.fromEntries(
    Object.entries(needs).map(([key, { outputs, result }]) => [
      key,
      { outputs: { ...outputs }, result: RESULTS[result] ?? Result.UNSPECIFIED },
    ]),
  ),
})

const timeOf = (time: Timestamp | undefined): number => (time === undefined ? 0 : timestampMs(time))

const readReport = ({ state, outputs }: UpdateTaskRequest): TaskReport => ({
  taskId: Number(state?.id ?? 0),
  result: STATUSES.get(state?.result ?? Result.UNSPECIFIED),
  outputs,
  steps: (state?.steps ?? []).map((step) => ({
    number: Number(step.id),
    status: STATUSES.get(step.result) ?? (step.startedAt === undefined ? 'waiting' : 'running'),
    logIndex: Number(step.logIndex),
    logLength: Number(step.logLength),
    startedAt: timeOf(step.startedAt),
    stoppedAt: timeOf(step.stoppedAt),
  })),
})

const readLogPart = ({ taskId, index, rows, noMore }: UpdateLogRequest): LogPart => ({
  taskId: Number(taskId),
  index: Number(index),
  lines: rows.map(({ time, content }) =>
    lineOfRow({ seconds: Number(time?.seconds ?? 0n), nanos: time?.nanos ?? 0, content }),
  ),
  noMore,
})
