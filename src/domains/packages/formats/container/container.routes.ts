import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import { endsConnection } from '../../../../core/platform/http/unread-body.ts'
import { errors } from '../../../errors.ts'
import { sendAnswer } from '../../registry/answer.ts'
import type { FormatAnswer } from '../../registry/format.ts'
import type { RegistryLevel } from '../../registry/registry-access.ts'
import { refusalOf } from '../../registry/registry.routes.ts'
import { authorizeCatalog, authorizeImages, identify, identifyForToken } from './container-access.routes.ts'
import { type ContainerCode, ContainerRefusal } from './container-refusal.ts'
import { IMAGE, MAX_IMAGE_LENGTH } from './manifest.policy.ts'
import { imageRoutes } from './image-routes.ts'
import { type ContainerRouteDeps, type ImageRequest, pageOf } from './image-request.routes.ts'

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'] as const
const VERSION = { 'docker-distribution-api-version': 'registry/2.0' }

/** The OCI distribution API, version 1.1, at the root of the site (behaviour/orgs-webhooks-actions#packages). */
export function registerContainer(app: FastifyInstance, deps: ContainerRouteDeps): void {
  const route = (
    methods: readonly (typeof METHODS)[number][],
    url: string,
    handle: (request: FastifyRequest) => Promise<FormatAnswer>,
  ): void => {
    for (const method of methods)
      app.route({
        method,
        url,
        exposeHeadRoute: false,
        handler: (request: FastifyRequest, reply: FastifyReply) => answer(deps, handle, request, reply),
      })
  }
  route(['GET', 'HEAD'], '/v2/', async (request) => {
    await identify(deps, request)
    return { status: 200, body: {} }
  })
  route(['GET'], '/v2/token', async (request) => {
    const token = deps.tokens.issue(await identifyForToken(deps, request))
    return { status: 200, body: { token, access_token: token, expires_in: deps.tokens.lifetime } }
  })
  route(['GET'], '/v2/_catalog', (request) => catalog(deps, request))
  route(METHODS, '/v2/*', (request) => dispatch(deps, request))
}

async function answer(
  deps: ContainerRouteDeps,
  handle: (request: FastifyRequest) => Promise<FormatAnswer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  void reply.headers(VERSION)
  try {
    return await sendAnswer(deps.contents, await handle(request), request, reply)
  } catch (error) {
    const refusal = error instanceof ContainerRefusal ? error : toContainer(error)
    if (refusal === undefined) throw error
    if (endsConnection(request.raw)) void reply.header('connection', 'close')
    const { status, code, message, headers } = refusal
    void reply.header('x-ingot-reason', code.toLowerCase())
    return sendAnswer(deps.contents, { status, headers, body: { errors: [{ code, message }] } }, request, reply)
  }
}

const CODES: Readonly<Record<number, ContainerCode>> = {
  403: 'DENIED',
  404: 'NAME_UNKNOWN',
  413: 'SIZE_INVALID',
  429: 'TOOMANYREQUESTS',
  503: 'UNAVAILABLE',
  507: 'UNAVAILABLE',
}

function toContainer(error: unknown): ContainerRefusal | undefined {
  const refusal = refusalOf(error)
  if (refusal === undefined) return undefined
  const { status, message, headers } = refusal
  const code = refusal.code === errors.packageQuotaExceeded.code ? 'DENIED' : CODES[status]
  return new ContainerRefusal(status, code ?? 'UNSUPPORTED', message, { headers })
}

async function dispatch(deps: ContainerRouteDeps, request: FastifyRequest): Promise<FormatAnswer> {
  const [path = '', search = ''] = (request.raw.url ?? '').slice('/v2'.length).split('?', 2)
  const viewer = await identify(deps, request)
  const matching = imageRoutes.filter((route) => route.path.test(path))
  if (matching.length === 0) throw new ContainerRefusal(404, 'UNSUPPORTED', 'there is no such address')
  const route =
    matching.find(({ method }) => method === request.method) ??
    matching.find(({ method }) => method === 'GET' && request.method === 'HEAD')
  if (route === undefined) throw new ContainerRefusal(405, 'UNSUPPORTED', 'the method is not supported here')
  const { name = '', ...groups } = route.path.exec(path)!.groups!
  const params = Object.fromEntries(Object.entries(groups).map(([key, text]) => [key, decodeURIComponent(text)]))
  const found = await findImage(deps, viewer, name, route.access)
  const common = { viewer, ...found, name, params, query: new URLSearchParams(search), request }
  if (route.access === 'read') return route.handle(deps, common)
  if (request.method !== 'DELETE') await deps.contents.requireQuota(found.owner)
  return deps.contents.withHold((hold) => route.handle(deps, { ...common, viewer: viewer as SignedIn, hold }))
}

async function findImage(
  deps: ContainerRouteDeps,
  viewer: Viewer,
  name: string,
  level: RegistryLevel,
): Promise<Pick<ImageRequest, 'owner' | 'image' | 'packageId'>> {
  const slash = name.indexOf('/')
  const image = name.slice(slash + 1)
  if (slash < 0 || image.length > MAX_IMAGE_LENGTH || !IMAGE.test(image))
    throw new ContainerRefusal(400, 'NAME_INVALID', 'the name of an image is owner/image in lower case')
  const owner = await authorizeImages(deps, viewer, { name: name.slice(0, slash), level })
  const packageId = (await deps.contents.findPackage(owner, 'container', image))?.id
  return { owner, image, packageId }
}

async function catalog(deps: ContainerRouteDeps, request: FastifyRequest): Promise<FormatAnswer> {
  const viewer = await identify(deps, request)
  authorizeCatalog(deps, viewer)
  const { limit, after } = pageOf(new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? ''))
  const names = await deps.reads.catalog(viewer, { after, limit: limit + 1 })
  const page = names.slice(0, limit)
  const link = `</v2/_catalog?last=${encodeURIComponent(page.at(-1) ?? '')}&n=${limit}>; rel="next"`
  return {
    status: 200,
    body: { repositories: page },
    headers: names.length > limit && limit > 0 ? { link } : {},
  }
}
