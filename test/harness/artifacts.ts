import { expect } from 'vitest'
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
  const token = server.app.taskTokens.issueRuntimeToken({ id: taskId, jobId, runId: run.id })
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

type Get = (headers: Record<string, string>) => Promise<Response>

/** Downloads a file of ASCII whole and by ranges, and asks whether it has changed. */
export async function expectRanges(get: Get, text: string): Promise<void> {
  const shown = async (headers: Record<string, string>) => {
    const answer = await get(headers)
    const names = ['content-range', 'content-length', 'etag'] as const
    const [range, length, etag] = names.map((name) => answer.headers.get(name))
    return { status: answer.status, range, length, etag, body: await answer.text() }
  }
  const whole = await get({})
  const [etag, size] = [whole.headers.get('etag')!, text.length]
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  expect([whole.status, whole.headers.get('accept-ranges'), await whole.text()]).toEqual([200, 'bytes', text])
  const all = { status: 200, range: null, length: String(size), etag, body: text }
  const rest = {
    ...all,
    status: 206,
    range: `bytes 3-${size - 1}/${size}`,
    length: String(size - 3),
    body: text.slice(3),
  }
  expect(await shown({ range: 'bytes=3-' })).toEqual(rest)
  expect(await shown({ range: 'bytes=3-', 'if-range': etag })).toEqual(rest)
  expect(await shown({ range: 'bytes=3-', 'if-range': '"other"' })).toEqual(all)
  expect(await shown({ range: 'bytes=0-0' })).toMatchObject({ status: 206, range: `bytes 0-0/${size}`, body: text[0] })
  expect(await shown({ range: 'bytes=-2' })).toMatchObject({ status: 206, body: text.slice(-2) })
  expect(await shown({ range: `bytes=${size}-` })).toMatchObject({ status: 416, range: `bytes */${size}`, body: '' })
  expect(await shown({ 'if-none-match': etag })).toMatchObject({ status: 304, etag, body: '' })
  expect(await shown({ 'if-none-match': '"other"' })).toEqual(all)
}
