import { randomBytes } from 'node:crypto'
import multipart from '@fastify/multipart'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import findMyWay from 'find-my-way'
import { invalid, notFound } from '../platform/errors.ts'
import type { Logger } from '../platform/logger.ts'
import { addCorsHeaders, answerPreflight, type CorsSettings, isPreflight } from './cors.ts'
import { answerError } from './error-response.ts'
import type { Operation } from './operation.ts'
import type { Pipeline } from './pipeline.ts'
import { limitReceiving } from './receive-timeout.ts'
import { groupRoutes, patternOf, registerRoutes, type Route } from './routes.ts'
import { send } from './send.ts'

export const API_PREFIX = '/api/v1'

export interface ServerSettings {
  readonly bodyLimit: number
  /** Milliseconds for headers and small bodies; streams may pause as long. */
  readonly receiveTimeoutMs: number
  readonly trustProxy: boolean
  readonly cors: CorsSettings | undefined
  rootUrl(): string
}

export interface ServerDeps {
  readonly log: Logger
  readonly settings: ServerSettings
  readonly pipeline: Pipeline
  readonly operations: readonly Operation[]
  /** Called before any route is there, for hooks that are to see every request. */
  prepare?(app: FastifyInstance): void
}

const MAX_PARAM_LENGTH = 4096
const MOST_CHECKING_INTERVAL_MS = 10_000

/** The Fastify instance with every API operation on it; other doors register themselves beside (`transport/`). */
export async function createServer(deps: ServerDeps): Promise<FastifyInstance> {
  const { log, settings, pipeline } = deps
  let requests = 0
  const process = randomBytes(4).toString('hex')
  const app = Fastify({
    loggerInstance: log as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: settings.bodyLimit,
    http: {
      headersTimeout: settings.receiveTimeoutMs,
      connectionsCheckingInterval: Math.min(settings.receiveTimeoutMs / 2, MOST_CHECKING_INTERVAL_MS),
    },
    trustProxy: settings.trustProxy,
    rewriteUrl: withoutHost,
    genReqId: () => `${process}-${(requests++).toString(36)}`,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void handleError(deps, error, request, reply),
  })
  app.removeAllContentTypeParsers()
  app.setErrorHandler((error, request, reply) => handleError(deps, error, request, reply))
  logRequests(app)
  deps.prepare?.(app)
  refuseNul(app)
  limitReceiving(app, settings.receiveTimeoutMs, log)

  const routes = groupRoutes(deps.operations)
  const { cors } = settings
  await app.register(
    async (api) => {
      if (cors) api.addHook('onRequest', async (request, reply) => addCorsHeaders(cors, request, reply))
      const streaming = routes.filter((route) =>
        route.candidates.some(({ operation }) => operation.bodyKind === 'stream'),
      )
      await api.register(async (scope) => {
        scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
        registerRoutes(
          scope,
          routes.filter((route) => !streaming.includes(route)),
          pipeline,
        )
      })
      await api.register(async (scope) => {
        scope.addContentTypeParser('*', (_, __, done) => done(null))
        await scope.register(multipart)
        registerRoutes(scope, streaming, pipeline)
      })
    },
    { prefix: API_PREFIX },
  )
  app.addContentTypeParser('*', (_, __, done) => done(null))
  const methodsOf = methodFinder(routes)
  app.setNotFoundHandler((request, reply) => handleNotFound(deps, request, reply, methodsOf))
  return app
}

/** A request that is made as to a proxy names the host in its first line too; it is for this server all the same. */
function withoutHost({ url = '' }: { readonly url?: string | undefined }): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
}

/** Nothing is named with a NUL, databases and programs end texts at it: it gets no further than this. */
function refuseNul(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _, done) => {
    const at = request.url.indexOf('%00')
    if (at < 0) return done()
    const inPath = at < request.url.search(/\?|$/)
    done(inPath ? notFound('a path has no NUL') : invalid('[]: the query has a NUL character'))
  })
}

function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      request: request.id,
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    }
    if (request.method === 'GET' || request.method === 'HEAD') request.log.debug(line, 'request')
    else request.log.info(line, 'request')
    done()
  })
}

function handleError(deps: ServerDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const docs = `${deps.settings.rootUrl()}/api/swagger`
  const answer = answerError(error, {
    docs,
    rootUrl: deps.settings.rootUrl(),
    url: request.url,
    pattern: patternOf(request),
  })
  if (answer) {
    if (answer.status === 507) request.log.error({ request: request.id, err: error }, 'no room left on the disk')
    if (answer.status === 503)
      request.log.warn({ request: request.id, err: (error as Error).cause ?? error }, 'not available')
    if (answer.status === 404) request.log.debug({ request: request.id, reason: (error as Error).message }, 'not found')
    return send(reply, answer)
  }
  if (request.raw.destroyed && !request.raw.complete) {
    request.log.info(
      { request: request.id, path: request.url.split('?', 1)[0] },
      'the client left in the middle of its request',
    )
    return reply.code(400).send()
  }
  request.log.error({ request: request.id, err: error, path: request.url.split('?', 1)[0] }, 'request failed')
  return send(reply, { status: 500, body: { message: '', url: docs } })
}

/** Unknown paths: preflights, then 405 where another method would have matched, then 404 as plain text. */
async function handleNotFound(
  deps: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  methodsOf: (path: string) => string[],
): Promise<FastifyReply> {
  const path = request.url.split('?', 1)[0]!
  const isApi = path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
  const { cors } = deps.settings
  if (cors && isApi && isPreflight(request)) return answerPreflight(cors, request, reply)
  if (cors && isApi) addCorsHeaders(cors, request, reply)
  const allowed = isApi ? methodsOf(path.slice(API_PREFIX.length)) : []
  if (allowed.length > 0)
    return reply.code(405).header('allow', allowed).header('x-content-type-options', 'nosniff').send()
  return reply
    .code(404)
    .header('x-content-type-options', 'nosniff')
    .type('text/plain;charset=utf-8')
    .send('404 page not found\n')
}

/** The methods that a path answers to; the second router is made at the first miss. */
function methodFinder(routes: readonly Route[]): (path: string) => string[] {
  let router: ReturnType<typeof findMyWay> | undefined
  const methods = [...new Set(routes.map((route) => route.method))]
  return (path) => {
    if (router === undefined) {
      router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH })
      for (const route of routes) router.on(route.method as 'GET', route.routerPath, () => {}, route)
    }
    return methods.filter((method) => {
      const found = router!.find(method as 'GET', path)
      const route = found?.store as Route | undefined
      return (
        route?.candidates.some(({ pattern }) => pattern.match(found!.params as Record<string, string>) !== undefined) ??
        false
      )
    })
  }
}
