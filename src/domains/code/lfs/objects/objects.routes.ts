import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eachAtOnce } from '../../../../core/platform/concurrency/each-at-once.ts'
import { errors } from '../../../errors.ts'
import { contentDisposition, requestedRange } from '../../../../core/platform/http/media-type.ts'
import { authorizeLfs, type LfsRouteDeps } from '../authorize-lfs.ts'
import { answering, OBJECTS, readJson, requireLfsType, LFS_TYPE, LfsRefusal } from '../handler.ts'
import type { BatchEntry } from './lfs-objects.service.ts'
import type { LfsObject } from '../lfs.store.ts'

export function registerObjects(app: FastifyInstance, base: string, deps: LfsRouteDeps): void {
  app.post(
    `${base}/objects/batch`,
    answering(OBJECTS, (request) => batch(deps, request)),
  )
  app.put(
    `${base}/objects/:oid/:size`,
    answering(OBJECTS, (request) => upload(deps, request)),
  )
  app.get(
    `${base}/objects/:oid`,
    answering(OBJECTS, (request, reply) => download(deps, request, reply)),
  )
  app.get(
    `${base}/objects/:oid/:filename`,
    answering(OBJECTS, (request, reply) => download(deps, request, reply)),
  )
  app.post(
    `${base}/verify`,
    answering(OBJECTS, async (request) => {
      requireLfsType(request)
      const { repo } = await authorizeLfs(deps, request, { need: 'upload' })
      const { oid } = await readJson(request, 422)
      if (typeof oid !== 'string') throw new LfsRefusal(422, '[oid]: a text is needed')
      if ((await deps.objects.find(repo.id, oid)) === undefined) throw errors.lfsObjectNotFound()
      return { Message: 'OK' }
    }),
  )
}

async function batch(deps: LfsRouteDeps, request: FastifyRequest): Promise<object> {
  requireLfsType(request)
  // NOTE: authorization precedes reading the body, so that a requester without access learns nothing from a malformed
  // body.
  const reader = await authorizeLfs(deps, request, { need: 'read' })
  const body = await readJson(request)
  const operation = body['operation']
  if (operation !== 'upload' && operation !== 'download') throw new LfsRefusal(400, '[operation]: upload or download')
  const access =
    operation === 'upload' ? await authorizeLfs(deps, request, { need: 'upload', branch: branchOf(body) }) : reader
  const answer = {
    operation,
    base: `${deps.rootUrl()}/${access.repo.fullName}.git/info/lfs`,
    authorization: request.headers.authorization,
  } as const
  const objects = readObjects(body['objects'] ?? [], deps.maxBatchSize)
  const entries = await deps.objects.batch(access.viewer, access.repo.id, operation, objects)
  const links = await linksOf(deps, operation, entries)
  return { objects: entries.map((entry) => links.get(entry.oid) ?? presentEntry(entry, answer)) }
}

const BRANCH = 'refs/heads/'

/** The ref that the client pushes, if specified: undefined for any branch, empty for a ref that is not a branch. */
function branchOf(body: Record<string, unknown>): string | undefined {
  const name = (body['ref'] as { readonly name?: unknown } | null | undefined)?.name
  if (typeof name !== 'string') return undefined
  return name.startsWith(BRANCH) ? name.slice(BRANCH.length) : ''
}

function readObjects(value: unknown, maxObjects: number): LfsObject[] {
  if (!Array.isArray(value)) throw new LfsRefusal(400, '[objects]: a list is needed')
  if (value.length > maxObjects) throw new LfsRefusal(413, `at most ${maxObjects} objects in one batch`)
  return value.map((item: { oid?: unknown; size?: unknown } | null) => {
    const { oid = '', size = 0 } = item ?? {}
    if (typeof oid !== 'string' || typeof size !== 'number')
      throw new LfsRefusal(400, '[objects]: each has an oid, a text, and a size, a number')
    return { oid, size }
  })
}

/** The number of concurrent requests for links: each is a request to the object store. */
const LINKS_AT_ONCE = 8

/** The links of a download whose bytes the client reads from the object store, by oid. */
async function linksOf(
  { objects, redirectLifetime }: LfsRouteDeps,
  operation: 'upload' | 'download',
  entries: readonly BatchEntry[],
): Promise<Map<string, object>> {
  const links = new Map<string, object>()
  if (operation === 'upload' || redirectLifetime === undefined) return links
  const stored = entries.filter(({ verdict }) => verdict.kind === 'stored')
  const { signal } = new AbortController()
  await eachAtOnce(stored, { atOnce: LINKS_AT_ONCE, signal }, async ({ oid, size }) => {
    const href = await objects.link({ oid, size }, { contentType: 'application/octet-stream' })
    const download = { href, expires_in: redirectLifetime }
    if (href !== undefined) links.set(oid, { oid, size, authenticated: true, actions: { download } })
  })
  return links
}

interface BatchAnswer {
  readonly operation: 'upload' | 'download'
  /** The base URL of the endpoints of the repository. */
  readonly base: string
  /** The header from the client, which also authenticates it at the other endpoints. */
  readonly authorization: string | undefined
}

function presentEntry({ oid, size, verdict }: BatchEntry, { operation, base, authorization }: BatchAnswer): object {
  if (verdict.kind === 'refused') return { oid, size, error: { code: 422, message: verdict.reason } }
  if (verdict.kind === 'missing') return { oid, size, error: { code: 404, message: 'Not Found' } }
  if (verdict.kind === 'stored' && operation === 'upload') return { oid, size }
  const proof = authorization === undefined ? {} : { Authorization: authorization }
  if (verdict.kind === 'stored')
    return { oid, size, actions: { download: { href: `${base}/objects/${oid}`, header: proof } } }
  const upload = { href: `${base}/objects/${oid}/${size}`, header: { ...proof, 'Transfer-Encoding': 'chunked' } }
  const verify = { href: `${base}/verify`, header: { ...proof, Accept: `${LFS_TYPE};q=0.9, */*;q=0.8` } }
  return { oid, size, actions: { upload, verify } }
}

async function upload(deps: LfsRouteDeps, request: FastifyRequest): Promise<object> {
  const { oid, size } = request.params as { oid: string; size: string }
  const { repo } = await authorizeLfs(deps, request, { need: 'upload' })
  if (!/^\d{1,15}$/.test(size)) throw new LfsRefusal(422, 'Oid or size are invalid')
  await deps.objects.upload(repo.id, { oid, size: Number(size) }, request.raw)
  return { Message: 'OK' }
}

/** Sends the whole file or one range. The reply is sent here so that a slow client occupies only one buffer. */
async function download(deps: LfsRouteDeps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { oid, filename } = request.params as { oid: string; filename?: string }
  const { repo } = await authorizeLfs(deps, request, { need: 'read' })
  const object = await deps.objects.find(repo.id, oid)
  if (object === undefined) throw errors.lfsObjectNotFound()
  const range = requestedRange(request.headers, object)
  if (range === 'bad')
    throw new LfsRefusal(416, 'the range starts past the end of the file', {
      'content-range': `bytes */${object.size}`,
    })
  const disposition = filename === undefined ? {} : dispositionOf(Buffer.from(filename, 'base64url').toString('utf8'))
  const link = await deps.objects.link(object, { contentType: 'application/octet-stream', ...disposition })
  if (link !== undefined) return void reply.code(302).headers({ location: link, 'cache-control': 'no-store' }).send()
  const length = range === undefined ? object.size : range.end - range.start + 1
  const headers = {
    'content-length': String(length),
    'x-gitea-lfs-content-length': String(object.size),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${object.size}` }),
    ...(disposition.contentDisposition !== undefined && { 'content-disposition': disposition.contentDisposition }),
  }
  reply
    .code(range === undefined ? 200 : 206)
    .headers(headers)
    .type('application/octet-stream')
  // NOTE: a reply is a promise that resolves at its end: the caller must not await it and reply again.
  void reply.send(await deps.objects.open(object, range))
}

const dispositionOf = (name: string): { readonly contentDisposition?: string } => ({
  contentDisposition: contentDisposition('attachment', name),
})
