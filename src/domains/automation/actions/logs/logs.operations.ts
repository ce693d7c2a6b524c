import { Type } from '@sinclair/typebox'
import type { Guards } from '../../../../core/module.ts'
import { bytes } from '../../../../core/http/answer/answer.ts'
import { BinaryFile, TextFile } from '../../../../core/http/answer/binary.ts'
import { rangedBytes } from '../../../../core/http/answer/ranged.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { contentDisposition } from '../../../../core/platform/http/media-type.ts'
import { EventStream, type Streams } from '../../../../core/streams/index.ts'
import type { JobLogs } from './job-logs.service.ts'
import type { LogStreams } from './log-stream.ts'

interface LogOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly logs: JobLogs
  readonly logStreams: LogStreams
  readonly streams: Pick<Streams, 'openFeed'>
}

const ROOT = '/repos/{owner}/{repo}/actions'

/** The logs of jobs and runs (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function logOperations({ guards, logs, logStreams, streams }: LogOperationDeps): Operation[] {
  const read = {
    area: 'repository',
    scopes: ['repository'],
    method: 'GET',
    guard: guards.repo('read', { unit: 'repo.actions', needsUser: true }),
  } as const
  return [
    defineOperation({
      ...read,
      id: 'downloadActionsRunJobLogs',
      path: `${ROOT}/jobs/{job_id:int}/logs`,
      summary: 'The log of an attempt of a job, or a range of its bytes',
      query: Type.Object({
        attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'By default the latest one' })),
      }),
      responses: { 200: TextFile, 206: TextFile },
      errors: [401, 403, 404, 416],
      async handler({ access: { repo }, params, query, headers }) {
        const { fileName, size, open } = await logs.find(repo.id, { jobId: params.job_id, attempt: query.attempt })
        const fileHeaders = {
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': contentDisposition('attachment', fileName),
          'x-content-type-options': 'nosniff',
        }
        return rangedBytes({ size, headers: fileHeaders, open }, headers)
      },
    }),
    defineOperation({
      ...read,
      id: 'repoStreamActionJobLogs',
      path: `${ROOT}/jobs/{job_id:int}/logs/stream`,
      summary: 'The lines of the log of the latest attempt of a job until it ends, as server-sent events',
      responses: { 200: EventStream },
      errors: [401, 403, 404, 429],
      async handler({ viewer, access, reauthorization, network, headers, params }) {
        const { taskId } = await logs.find(access.repo.id, { jobId: params.job_id })
        const request = { viewer, access, reauthorization, network, lastEventId: headers['last-event-id'] }
        return streams.openFeed(request, logStreams.follow(taskId))
      },
    }),
    defineOperation({
      ...read,
      id: 'repoGetActionRunLogs',
      path: `${ROOT}/runs/{run_id:int}/logs`,
      summary: 'A zip file with the log of the latest attempt of each job of a run',
      responses: { 200: BinaryFile },
      errors: [401, 403, 404],
      async handler({ access: { repo }, params }) {
        const { fileName, body } = await logs.openArchive(repo.id, params.run_id)
        return bytes(body, {
          'content-type': 'application/zip',
          'content-disposition': contentDisposition('attachment', fileName),
          'x-content-type-options': 'nosniff',
        })
      },
    }),
  ]
}
