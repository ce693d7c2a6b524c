import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wireTime } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { SignedLinks } from '../artifacts/signed-links.ts'
import type { Uploads } from '../artifacts/uploads/uploads.service.ts'
import type { Caches } from '../caches/caches.service.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import type { StoredBytes } from '../stored-blocks/stored-bytes.ts'
import { receivePart } from './block-upload.routes.ts'
import { answering, type Members, readMembers } from './results-answer.routes.ts'
import {
  queryOf,
  requireContentRange,
  requireLink,
  requireTask,
  rootFor,
  signedQuery,
} from './results-request.routes.ts'
import { sendStored } from './send-stored.routes.ts'

interface CacheRouteDeps {
  readonly tokens: Pick<TaskTokens, 'findTask'>
  readonly caches: Caches
  readonly stored: StoredBytes
  readonly uploads: Uploads
  readonly uploadLinks: SignedLinks
  readonly cacheLinks: SignedLinks
  readonly site: Site
}

/** Path below the address that a runner passes to jobs as ACTIONS_CACHE_URL: the server, or ACTIONS_RUNTIME_URL. */
const BASES_V1 = ['/_apis/artifactcache', '/api/actions_pipeline/_apis/artifactcache']
const BASE_V2 = '/twirp/github.actions.results.api.v1.CacheService'
const MAX_TEXT = 600
const MAX_KEYS = 10

/** Both versions of the protocol of `actions/cache` (behaviour/actions#artifact-protocols-and-cache). */
export function registerCaches(http: FastifyInstance, deps: CacheRouteDeps): void {
  for (const base of BASES_V1) registerV1(http, base, deps)
  registerV2(http, deps)
  http.put(
    `${BASE_V2}/UploadCache`,
    answering(async (request, reply) => {
      const query = queryOf(request)
      const id = query.get('uploadID') ?? ''
      requireLink(deps.uploadLinks, id, query)
      await receivePart(deps.uploads, await deps.uploads.get(Number(id)), request, reply)
    }),
  )
  http.route({
    method: ['GET', 'HEAD'],
    url: `${BASE_V2}/DownloadCache`,
    handler: answering(async (request, reply) => {
      const query = queryOf(request)
      const id = query.get('cacheID') ?? ''
      requireLink(deps.cacheLinks, id, query)
      const cache = await deps.caches.get(Number(id))
      await sendStored(deps.stored, { ...cache, fileName: 'cache', type: 'application/octet-stream' }, request, reply)
    }),
  })
}

/** The address of a cache, which is valid for an hour without credentials. */
function downloadUrl({ site, cacheLinks }: CacheRouteDeps, request: FastifyRequest, id: number): string {
  return `${rootFor(site, request)}${BASE_V2}/DownloadCache?${signedQuery(cacheLinks, String(id))}&cacheID=${id}`
}

function registerV1(http: FastifyInstance, base: string, deps: CacheRouteDeps): void {
  const { caches, uploads } = deps
  const called = (handler: (task: RunningTask, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    answering(async (request, reply) => handler(await requireTask(deps.tokens, request), request, reply))
  const uploadOf = (task: RunningTask, request: FastifyRequest) => {
    const { id } = request.params as { readonly id: string }
    return caches.getUpload(task, /^\d{1,15}$/.test(id) ? Number(id) : 0)
  }

  http.get(
    `${base}/cache`,
    called(async (task, request, reply) => {
      const query = queryOf(request)
      const keys = (query.get('keys') ?? '').split(',')
      const found = await caches.find(task, { keys, version: query.get('version') ?? undefined })
      if (found === undefined) return void reply.code(204).send()
      const { id, key, ref, createdAt } = found
      const archiveLocation = downloadUrl(deps, request, id)
      return { result: 'hit', cacheKey: key, scope: ref, creationTime: wireTime(createdAt), archiveLocation }
    }),
  )
  http.post(
    `${base}/caches`,
    called(async (task, request) => {
      const members = await readMembers(request)
      const { id } = await caches.begin(task, { ...nameIn(members), size: members.integer('cacheSize') })
      return { cacheId: id }
    }),
  )
  http.patch(
    `${base}/caches/:id`,
    called(async (task, request) => {
      const upload = await uploadOf(task, request)
      const { start, end } = requireContentRange(request)
      await uploads.put(upload, { name: String(start), position: start, source: request.raw, size: end - start + 1 })
      return {}
    }),
  )
  http.post(
    `${base}/caches/:id`,
    called(async (task, request) => {
      const members = await readMembers(request)
      await caches.finish(task, await uploadOf(task, request), members.integer('size'))
      return {}
    }),
  )
}

const nameIn = (members: Members) => ({
  key: members.text('key', MAX_TEXT),
  version: members.text('version', MAX_TEXT),
})

function registerV2(http: FastifyInstance, deps: CacheRouteDeps): void {
  const { caches, uploadLinks } = deps
  const methods: Record<string, (task: RunningTask, members: Members, request: FastifyRequest) => Promise<object>> = {
    async CreateCacheEntry(task, members, request) {
      try {
        const { id } = await caches.begin(task, nameIn(members))
        const query = `${signedQuery(uploadLinks, String(id))}&uploadID=${id}`
        return { ok: true, signedUploadUrl: `${rootFor(deps.site, request)}${BASE_V2}/UploadCache?${query}` }
      } catch (error) {
        // COMPAT: clients report a cache that exists by this answer (test/automation/cache-clients.test.ts).
        if (isDomainError(error, 'conflict')) return { ok: false, message: error.message }
        throw error
      }
    },
    async FinalizeCacheEntryUpload(task, members) {
      const size = members.integer('size_bytes')
      return { ok: true, entryId: String(await caches.finishNamed(task, { ...nameIn(members), size })) }
    },
    async GetCacheEntryDownloadURL(task, members, request) {
      const { key, version } = nameIn(members)
      const restoreKeys = members.texts('restore_keys', { maxItems: MAX_KEYS, maxLength: MAX_TEXT })
      const found = await caches.find(task, { keys: [key ?? '', ...restoreKeys], version })
      if (found === undefined) return { ok: false }
      return { ok: true, signedDownloadUrl: downloadUrl(deps, request, found.id), matchedKey: found.key }
    },
  }
  for (const [name, method] of Object.entries(methods))
    http.post(
      `${BASE_V2}/${name}`,
      answering(async (request) => {
        const task = await requireTask(deps.tokens, request)
        return method(task, await readMembers(request), request)
      }),
    )
}
