import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import type { StepSummaries } from '../summaries/summaries.service.ts'
import { answering, readBytes } from './results-answer.routes.ts'
import { requireTask } from './results-request.routes.ts'

interface SummaryDeps {
  readonly summaries: Pick<StepSummaries, 'put'>
  readonly tokens: Pick<TaskTokens, 'findTask'>
}

const RUN = '/api/actions_pipeline/_apis/pipelines/workflows/:run'
const MAX_BYTES = 1024 * 1024
const MAX_STEPS = 1_000

interface Params {
  readonly run: string
  readonly job?: string
  readonly step?: string
}

/** Routes to which runners send the summaries of steps (behaviour/actions#artifact-protocols-and-cache). */
export function registerSummaries(http: FastifyInstance, { summaries, tokens }: SummaryDeps): void {
  const put = answering(async (request) => {
    const task = await requireTask(tokens, request)
    const { run, job = String(task.jobId), step = '0' } = request.params as Params
    if (run !== String(task.runId)) throw errors.runIdMismatch()
    if (job !== String(task.jobId)) throw badRequest('job-id does not match')
    if (!/^\d{1,3}$/.test(step)) throw badRequest(`[step]: a number below ${MAX_STEPS}`)
    await summaries.put({ taskId: task.id, step: Number(step) }, await readText(request))
    return { message: 'success' }
  })
  http.put(`${RUN}/jobs/:job/steps/:step/summary`, put)
  // COMPAT: Forgejo's runners send one text per job (test/automation/summaries.test.ts).
  http.put(`${RUN}/summary`, put)
}

/** NOTE: PostgreSQL stores no NUL. */
async function readText(request: FastifyRequest): Promise<string> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw badRequest('[Content-Encoding]: identity')
  return (await readBytes(request, MAX_BYTES)).toString('utf8').replaceAll('\0', '\ufffd')
}
