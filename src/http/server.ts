import { randomBytes } from 'node:crypto'
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { invalid, notFound } from '../platform/errors.ts'
import type { Logger } from '../platform/logger.ts'
import type { CorsSettings } from './cors.ts'
import { answerError } from './error-response.ts'
import { notFoundHandler } from './not-found.ts'
import type { Pipeline } from './pipeline.ts'
import { limitReceiving } from './receive-timeout.ts'
import { createRequestState, type RequestState } from './request-state.ts'
import { groupRoutes } from './routes.ts'
import { send } from './send.ts'
import { type HttpSubject, subjectPlugin } from './subject-plugin.ts'

interface ServerSettings {
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
  /** In order. */
  readonly subjects: readonly HttpSubject[]
  /** Called before any route is there, for hooks that are to see every request. */
  prepare?(app: FastifyInstance): void
}

const MAX_PARAM_LENGTH = 4096
const MAX_CHECKING_INTERVAL_MS = 10_000

/** The Fastify instance with one plugin for each subject: its operations and its other addresses. */
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
      connectionsCheckingInterval: Math.min(settings.receiveTimeoutMs / 2, MAX_CHECKING_INTERVAL_MS),
    },
    trustProxy: settings.trustProxy,
    rewriteUrl: withoutHost,
    genReqId: () => `${process}-${(requests++).toString(36)}`,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    frameworkErrors(error, request, reply) {
      request.state = createRequestState() // NOTE: no hook has run.
      handleError(deps, error, request, reply)
    },
  })
  app.setErrorHandler((error, request, reply) => handleError(deps, error, request, reply))
  decorateRequests(app)
  logRequests(app)
  deps.prepare?.(app)
  refuseNul(app)
  limitReceiving(app, settings.receiveTimeoutMs, log)
  leaveBodies(app)
  const { cors } = settings
  const routes = groupRoutes(deps.subjects)
  for (const subject of deps.subjects) await app.register(subjectPlugin(subject, { routes, pipeline, cors }))
  app.setNotFoundHandler(notFoundHandler({ routes, cors, maxParamLength: MAX_PARAM_LENGTH }))
  return app
}

/** Creates the state of every request before any other hook runs. */
function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('state', null as unknown as RequestState)
  app.addHook('onRequest', (request, _, done) => {
    request.state = createRequestState()
    done()
  })
}

/** Bodies stay unread, of any type, unless a plugin says otherwise for its own routes. */
function leaveBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, __, done) => done(null))
}

/** A request that is made as to a proxy names the host in its first line too; it is for this server all the same. */
function withoutHost({ url = '' }: { readonly url?: string | undefined }): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
}

/** No name has a NUL character, and databases and programs end texts at it. */
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
    pattern: request.state.match?.pattern,
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
