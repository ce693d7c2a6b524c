import { randomBytes } from 'node:crypto'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { type Logger, withoutRedaction } from '../platform/logger.ts'
import type { CorsSettings } from './cors.ts'
import { answerClientError, answerError, failure, notFoundHandler } from './answer/error-response.ts'
import { engineErrors } from '../platform/errors.ts'
import { type ApiResponse, send } from './answer/answer.ts'
import { isRead } from './is-read.ts'
import { type ConnectionSettings, createHttpServer } from './http-server.ts'
import type { Pipeline } from './pipeline.ts'
import { discardRests } from './body/discard-rests.ts'
import { LargeBodies } from './body/large-bodies.ts'
import { limitReceiving } from './body/receive-timeout.ts'
import { checkUrls, pathOf, withoutHost } from './request-url.ts'
import { createRequestState, type RequestState } from './request-state.ts'
import { groupRoutes } from './routes.ts'
import { type HttpModule, modulePlugin } from './module-plugin.ts'

interface ServerSettings extends ConnectionSettings {
  /** Maximum bytes of a body of any operation. */
  readonly bodyLimit: number
  /** The number of proxies in front of the server whose X-Forwarded-* headers count. */
  readonly trustedProxies: number
  readonly cors: CorsSettings | undefined
  rootUrl(): string
}

export interface ServerDeps {
  readonly log: Logger
  readonly settings: ServerSettings
  readonly pipeline: Pipeline
  /** Converts an error of a lower layer to a domain error; returns other errors unchanged. */
  domainError(error: unknown): unknown
  /** The modules in their order. */
  readonly modules: readonly HttpModule[]
  /** Called before any route is registered, for hooks that must see every request. */
  prepare?(app: FastifyInstance): void
}

const MAX_PARAM_LENGTH = 4096

/** The Fastify instance with one plugin for each module: its operations and its other addresses. */
export async function createServer(deps: ServerDeps): Promise<FastifyInstance> {
  const { log, settings, pipeline } = deps
  let requests = 0
  const process = randomBytes(4).toString('hex')
  const app = Fastify({
    loggerInstance: withoutChildren(log),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: settings.bodyLimit,
    serverFactory: (handle) => createHttpServer(handle, settings, log),
    // NOTE: only for the URL that `listen` returns. The type of the instance is the same either way.
    ...(settings.certificates !== undefined && ({ https: {} } as object)),
    trustProxy: trustedProxies(settings.trustedProxies),
    rewriteUrl: withoutHost,
    genReqId: () => `${process}-${(requests++).toString(36)}`,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerClientError(error, socket, docsUrl(settings)),
    frameworkErrors(error, request, reply) {
      request.state = createRequestState() // NOTE: no hook has run at this point.
      handleError(deps, error, request, reply)
    },
  })
  app.setErrorHandler((error, request, reply) => handleError(deps, error, request, reply))
  decorateRequests(app)
  logRequests(app, withoutRedaction(log))
  deps.prepare?.(app)
  checkUrls(app)
  limitReceiving(app, settings.receiveTimeoutMs, log)
  discardRests(app)
  leaveBodies(app)
  const { cors, bodyLimit } = settings
  const routes = groupRoutes(deps.modules)
  const parts = { routes, pipeline, cors, bodyLimit, largeBodies: new LargeBodies() }
  for (const module of deps.modules) await app.register(modulePlugin(module, parts))
  app.setNotFoundHandler(notFoundHandler({ routes, cors, maxParamLength: MAX_PARAM_LENGTH }))
  return app
}

/**
 * NOTE: a logger per request costs more than the router; log lines that need the request id include it. By
 * `childLoggerFactory` Fastify would check the logger again for each request.
 */
const withoutChildren = (log: Logger): FastifyBaseLogger =>
  Object.create(log, {
    child: {
      value(this: FastifyBaseLogger) {
        return this
      },
    },
  }) as FastifyBaseLogger

/** Counted from the connection; earlier entries of X-Forwarded-For are those that the client sent. */
const trustedProxies = (count: number): false | ((address: string, hop: number) => boolean) =>
  count > 0 && ((_, hop) => hop < count)

/** Creates the state of every request before any other hook runs. */
function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('state', null as unknown as RequestState)
  app.addHook('onRequest', (request, _, done) => {
    request.state = createRequestState()
    done()
  })
}

/** Bodies of all types stay unread unless a plugin reads them for its own routes. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, __, done) => done(null))
}

function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = isRead(request) || request.state.isQuiet ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return done()
    log[level](
      {
        request: request.id,
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
    done()
  })
}

const docsUrl = ({ rootUrl }: ServerSettings): string => `${rootUrl()}/api/swagger`

function handleError(deps: ServerDeps, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = deps.domainError(thrown)
  const docs = docsUrl(deps.settings)
  const answer = answerError(error, {
    docs,
    rootUrl: deps.settings.rootUrl(),
    url: request.url,
    pattern: request.state.match?.pattern,
  })
  if (answer) {
    if (answer.status === 507) request.log.error({ request: request.id, err: error }, 'disk full')
    if (answer.status === 503)
      request.log.warn(
        { request: request.id, path: pathOf(request), err: (error as Error).cause ?? error },
        'service unavailable',
      )
    if (answer.status === 404) request.log.debug({ request: request.id, reason: (error as Error).message }, 'not found')
    return send(reply, withErrorMembers(answer, request))
  }
  if (request.raw.destroyed && !request.raw.complete) {
    request.log.info({ request: request.id, path: pathOf(request) }, 'client disconnected during its request')
    return reply.code(400).send()
  }
  request.log.error({ request: request.id, err: error, path: pathOf(request) }, 'request failed')
  return send(reply, withErrorMembers(failure(engineErrors.internalError(), docs), request))
}

/** Adds the members that the operation declares in `errorMembers`; the body of a 404 has no members. */
function withErrorMembers(answer: ApiResponse, { state }: FastifyRequest): ApiResponse {
  const { message } = (answer.body ?? {}) as { readonly message?: string }
  const members = message === undefined ? undefined : state.match?.operation.errorMembers?.(message)
  return members === undefined ? answer : { ...answer, body: { ...members, ...(answer.body as object) } }
}
