import { createHash } from 'node:crypto'
import { errors } from '../../../errors.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { requireArtifactName } from '../artifacts/artifact.policy.ts'
import type { ArtifactFiles } from '../artifacts/artifact-files.service.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import type { StoredBytes } from '../stored-blocks/stored-bytes.ts'
import { answering, readMembers } from './results-answer.routes.ts'
import { queryOf, requireContentRange, requireTask, rootFor } from './results-request.routes.ts'
import { sendStored } from './send-stored.routes.ts'

interface ArtifactsV3Deps {
  readonly tokens: Pick<TaskTokens, 'findTask'>
  readonly artifactFiles: ArtifactFiles
  readonly stored: StoredBytes
  readonly site: Site
}

interface Call {
  readonly task: RunningTask
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly query: URLSearchParams
  /** The address of the artifacts of the run. */
  readonly base: string
}

const BASE = '/api/actions_pipeline/_apis/pipelines/workflows'
const MAX_NAME = 255
const MAX_ITEM_PATH = 1300
const MAX_RETENTION_DAYS = 10_000
const SUCCESS = { message: 'success' }

/** Version 3 of the artifact protocol (behaviour/actions#artifact-protocols-and-cache). */
export function registerArtifactsV3(http: FastifyInstance, deps: ArtifactsV3Deps): void {
  const { artifactFiles } = deps
  const called = (handler: (call: Call) => Promise<unknown>) =>
    answering(async (request, reply) => {
      const task = await requireTask(deps.tokens, request)
      const { run } = request.params as { run: string }
      if (run !== String(task.runId)) throw errors.runIdMismatch()
      const base = `${rootFor(deps.site, request)}${BASE}/${run}/artifacts`
      return handler({ task, request, reply, query: queryOf(request), base })
    })

  const ROOT = `${BASE}/:run/artifacts`
  http.post(
    ROOT,
    called(async ({ request, base }) => {
      const members = await readMembers(request)
      const name = requireArtifactName(members.text('Name', MAX_NAME + 1))
      const days = Math.min(members.integer('RetentionDays') ?? 0, MAX_RETENTION_DAYS)
      return { fileContainerResourceUrl: `${base}/${md5Of(name)}/upload?retentionDays=${days}` }
    }),
  )
  http.patch(
    ROOT,
    called(async ({ task, request, query }) => {
      await readMembers(request)
      await artifactFiles.confirm(task, requireArtifactName(query.get('artifactName') ?? ''))
      return SUCCESS
    }),
  )
  http.get(
    ROOT,
    called(async ({ task, base }) => {
      const names = await artifactFiles.listNames(task)
      const value = names.map((name) => ({
        name,
        fileContainerResourceUrl: `${base}/${md5Of(name)}/download_url`,
      }))
      return { count: value.length, value }
    }),
  )
  http.put(
    `${ROOT}/:hash/upload`,
    called(async (call) => {
      await receive(artifactFiles, call)
      return SUCCESS
    }),
  )
  http.get(
    `${ROOT}/:hash/download_url`,
    called(async ({ task, query, request, base }) => {
      const { name } = requireItem(query, request)
      const files = await artifactFiles.listFiles(task, name)
      return {
        value: files.map(({ id, path }) => ({
          path: `${name}/${path}`,
          itemType: 'file',
          contentLocation: `${base}/${id}/download`,
        })),
      }
    }),
  )
  http.get(
    `${ROOT}/:id/download`,
    called(async ({ task, request, reply }) => {
      const { id } = request.params as { id: string }
      const file = await artifactFiles.getFile(task, /^\d{1,15}$/.test(id) ? Number(id) : 0)
      const fileName = file.path.slice(file.path.lastIndexOf('/') + 1)
      await sendStored(deps.stored, { ...file, fileName, type: 'application/octet-stream' }, request, reply)
    }),
  )
}

async function receive(artifactFiles: ArtifactFiles, { task, request, query }: Call): Promise<void> {
  const { name, path } = requireItem(query, request)
  const { start, end, total } = requireContentRange(request)
  if (total === undefined) throw badRequest('[Content-Range]: the size of the file')
  const encoding = request.headers['content-encoding'] ?? ''
  if (encoding !== '' && encoding !== 'gzip') throw badRequest('[Content-Encoding]: gzip')
  const days = query.get('retentionDays') ?? ''
  await artifactFiles.put(task, {
    name,
    path,
    start,
    total,
    encoding,
    md5: request.headers['x-actions-results-md5'] as string | undefined,
    retentionDays: /^\d{1,5}$/.test(days) ? Number(days) : 0,
    source: request.raw,
    size: end - start + 1,
  })
}

/** The artifact, and the path in it, of `itemPath`. Throws BadRequest when it is not the one of the address. */
function requireItem(query: URLSearchParams, request: FastifyRequest): { name: string; path: string } {
  const item = (query.get('itemPath') ?? '').replaceAll('\\', '/')
  if (item === '' || item.length > MAX_ITEM_PATH) throw badRequest(`[itemPath]: 1 to ${MAX_ITEM_PATH} characters`)
  const slash = item.indexOf('/')
  const [name, path] = slash === -1 ? [item, ''] : [item.slice(0, slash), item.slice(slash + 1)]
  const { hash } = request.params as { hash: string }
  if (hash !== md5Of(name)) throw badRequest('[itemPath]: a file of the artifact of this address')
  return { name, path }
}

const md5Of = (name: string): string => createHash('md5').update(name).digest('hex')
