import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ANONYMOUS, type SignedIn, type Viewer } from '../../../core/access/viewer.ts'
import { type ErrorKind, isDomainError } from '../../../core/platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../../core/platform/files/out-of-space.ts'
import { etagMatches } from '../../../core/platform/http/media-type.ts'
import { endsConnection } from '../../../core/platform/http/unread-body.ts'
import type { PackageContents } from '../packages/package-contents.service.ts'
import { sendAnswer } from './answer.ts'
import { baseOf, PREFIX } from './base-of.ts'
import type { PullThrough } from '../upstreams/pull-through.service.ts'
import type { PackageDocuments } from './documents/package-documents.service.ts'
import type { DocumentAnswer, FormatAnswer, FormatRequest, FormatRoute, PackageFormat, ReadRoute } from './format.ts'
import {
  authorizeOwner,
  credentialsOf,
  identifyClient,
  type RegistryAccessDeps,
  RegistryRefusal,
} from './registry-access.ts'

export interface RegistryRouteDeps extends RegistryAccessDeps {
  readonly contents: PackageContents
  readonly documents: PackageDocuments
  readonly pullThrough: PullThrough
  rootUrl(): string
}

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'] as const

/**
 * Registers the formats below `/api/packages/{owner}/{type}` (behaviour/orgs-webhooks-actions#packages). The path below
 * the type is matched by the routes of the format, because names of packages contain slashes, encoded and not.
 */
export function registerFormats(
  app: FastifyInstance,
  deps: RegistryRouteDeps,
  formats: readonly PackageFormat[],
): void {
  for (const format of formats) {
    const handler = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
      answer(deps, format, request, reply)
    for (const method of METHODS)
      for (const path of ['', '/*', ...(format.suffixes ?? [])])
        app.route({ method, url: `${PREFIX}/:owner/${format.type}${path}`, exposeHeadRoute: false, handler })
  }
}

async function answer(
  deps: RegistryRouteDeps,
  format: PackageFormat,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    return await dispatch(deps, format, request, reply)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    void reply.header('x-ingot-reason', refusal.code)
    if (refusal.status === 507) request.log.error({ request: request.id, err: error }, 'no room left on the disk')
    if (endsConnection(request.raw)) void reply.header('connection', 'close')
    const { status, headers, message } = refusal
    const shown = format.errorAnswer?.(refusal, request.headers) ?? {
      status,
      headers,
      body: format.errorBody?.(message, status) ?? `${message}\n`,
    }
    return sendAnswer(deps.contents, shown, request, reply)
  }
}

async function dispatch(
  deps: RegistryRouteDeps,
  format: PackageFormat,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { contents } = deps
  const [target = '', search = ''] = (request.raw.url ?? '').split('?', 2)
  const path = target.slice(target.indexOf(`/${format.type}`, PREFIX.length + 2) + format.type.length + 1)
  const { route, params } = findRoute(format, request.method, path)
  const viewer = await identify(deps, format, request)
  const name = (request.params as { owner: string }).owner
  const owner = await authorizeOwner(deps, viewer, { name, level: route.access })
  const base = baseOf(deps.rootUrl(), owner, format.type)
  const query = new URLSearchParams(search)
  const common = { viewer, owner, params, query, headers: request.headers, body: request.raw, base }
  if (route.access !== 'write') {
    const answer = await read(deps, route, { ...common, type: format.type, path })
    const sent = 'document' in answer ? await readDocument(deps, answer, request) : answer
    return sendAnswer(contents, sent, request, reply)
  }
  if (route.method !== 'DELETE') await contents.requireQuota(owner)
  return contents.withHold(async (hold) =>
    sendAnswer(contents, await route.handle({ ...common, viewer: viewer as SignedIn, hold }), request, reply),
  )
}

async function identify(deps: RegistryRouteDeps, format: PackageFormat, request: FastifyRequest): Promise<Viewer> {
  const credentials = credentialsOf(request, format, deps.rootUrl())
  const key = format.apiKey?.(request.headers)
  if (credentials.kind !== 'none' || key === undefined) return identifyClient(deps, credentials, request)
  try {
    return await identifyClient(deps, { kind: 'token', token: key, via: 'header' }, request)
  } catch (error) {
    if (error instanceof RegistryRefusal && error.status === 401) return ANONYMOUS
    throw error
  }
}

interface RegistryRead extends FormatRequest {
  readonly type: string
  /** Encoded, below the registry. */
  readonly path: string
}

/** Reads packages that the owner does not have from the owner's upstream. */
async function read(
  { pullThrough }: RegistryRouteDeps,
  route: ReadRoute,
  request: RegistryRead,
): Promise<FormatAnswer | DocumentAnswer> {
  try {
    return await route.handle(request)
  } catch (error) {
    if (!isDomainError(error, 'not-found') || route.method !== 'GET') throw error
    const answer = await pullThrough.answer({ ...request, accept: request.headers.accept ?? '' })
    if (answer === undefined) throw error
    return answer
  }
}

async function readDocument(
  { documents }: Pick<RegistryRouteDeps, 'documents'>,
  { document, type }: DocumentAnswer,
  { headers }: FastifyRequest,
): Promise<FormatAnswer> {
  const { entry, name } = document
  const etag = `${entry.id}-${entry.revision}-${name}`
  const isUnmodified = etagMatches(headers['if-none-match'], `"${etag}"`)
  return { status: 200, type, etag, ...(!isUnmodified && { body: await documents.get(document) }) }
}

interface FoundRoute {
  readonly route: FormatRoute
  readonly params: Readonly<Record<string, string>>
}

/** Throws RegistryRefusal: 404 for an unknown path, 405 with `Allow` for another method. */
function findRoute({ routes }: PackageFormat, method: string, path: string): FoundRoute {
  const allowed = new Set<string>()
  for (const route of routes) {
    const match = route.path.exec(path)
    if (match === null) continue
    if (route.method === method || (route.method === 'GET' && method === 'HEAD'))
      return { route, params: decodedGroups(match.groups) }
    allowed.add(route.method)
    if (route.method === 'GET') allowed.add('HEAD')
  }
  if (allowed.size === 0) throw new RegistryRefusal(404, 'Not found.', 'not_found')
  throw new RegistryRefusal(405, 'Method not allowed.', 'method_not_allowed', {
    allow: [...allowed].toSorted().join(', '),
  })
}

/** The server has refused malformed addresses and those with a NUL. */
const decodedGroups = (groups: Readonly<Record<string, string | undefined>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, text = '']) => [name, decodeURIComponent(text)]))

const STATUS: Partial<Record<ErrorKind, number>> = {
  'bad-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'quota-exceeded': 413,
  invalid: 400,
  'too-many-requests': 429,
  unavailable: 503,
}

/** Undefined for an error of the server. */
export function refusalOf(error: unknown): RegistryRefusal | undefined {
  if (error instanceof RegistryRefusal) return error
  if (isOutOfSpace(error)) return new RegistryRefusal(507, OUT_OF_SPACE, 'out_of_space')
  if (!isDomainError(error)) return undefined
  const status = STATUS[error.kind]
  return status === undefined ? undefined : new RegistryRefusal(status, error.message, error.code)
}
