import type { Run } from '../../src/domains/automation/index.ts'
import { createActionsFactory } from './actions.ts'
import type { Any } from './client.ts'
import type { TestServer } from './server.ts'

const SERVICES = '/twirp/github.actions.results.api.v1'

type RunKey = Pick<Run, 'id' | 'repoId'>

/** A job that runs, with the tokens that it has. */
export interface RunningJob {
  readonly run: RunKey
  readonly jobId: number
  readonly taskId: number
  readonly token: string
}

/** Starts a task in a run. The job itself counts as done, so that the run can be deleted. */
export async function startJob(server: TestServer, run: RunKey): Promise<RunningJob> {
  const factory = createActionsFactory(server.app)
  const jobId = await factory.job(run, 'upload')
  const taskId = await factory.task(run.repoId, jobId, { status: 'running' })
  const token = await server.app.taskTokens.issueRuntimeToken({ id: taskId, jobId, runId: run.id })
  return { run, jobId, taskId, token }
}

export interface ResultsAnswer {
  readonly status: number
  readonly json: Any
}

/** Calls a method of a results service as a job. */
export async function callResults(
  server: TestServer,
  job: RunningJob,
  method: `${'Artifact' | 'Cache'}Service/${string}`,
  members: object,
): Promise<ResultsAnswer> {
  const answer = await fetch(`${server.url}${SERVICES}.${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${job.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      workflow_run_backend_id: String(job.run.id),
      workflow_job_run_backend_id: String(job.jobId),
      ...members,
    }),
  })
  return { status: answer.status, json: await answer.json() }
}

/** Uploads a file as one block; returns the answer of the first refused step, or of the last one. */
async function uploadArtifact(
  server: TestServer,
  job: RunningJob,
  { name, text, expiresAt }: { readonly name: string; readonly text: string; readonly expiresAt?: number },
): Promise<ResultsAnswer> {
  const expires = expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }
  const begun = await callResults(server, job, 'ArtifactService/CreateArtifact', { name, version: 4, ...expires })
  if (begun.status !== 200) return begun
  const sent = await fetch(begun.json.signedUploadUrl, { method: 'PUT', body: text })
  if (sent.status !== 201) return { status: sent.status, json: await sent.json() }
  return callResults(server, job, 'ArtifactService/FinalizeArtifact', { name, size: String(Buffer.byteLength(text)) })
}

/** Stores an artifact of a run by a job of its own; returns its id. */
export async function storeArtifact(
  server: TestServer,
  run: RunKey,
  { name, text, expiresAt }: { readonly name: string; readonly text: string; readonly expiresAt?: number },
): Promise<number> {
  const job = await startJob(server, run)
  const { status, json } = await uploadArtifact(server, job, {
    name,
    text,
    ...(expiresAt !== undefined && { expiresAt }),
  })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`)
  return Number(json.artifactId)
}
