import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface CorsSettings {
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly maxAge: number
  readonly credentials: boolean
}

const ALWAYS = ['authorization', 'x-forge-otp', 'x-ingot-otp', 'x-gitea-otp', 'x-forgejo-otp']
const VARY = ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers']

export const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' &&
  request.headers.origin !== undefined &&
  request.headers['access-control-request-method'] !== undefined

/**
 * Answers 200 with the allowed methods and headers, or with `Vary` only (behaviour/auth-and-access#cors-and-methods).
 */
export function answerPreflight(cors: CorsSettings, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const method = String(request.headers['access-control-request-method']).toUpperCase()
  const wanted = String(request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const allowed = new Set([...ALWAYS, ...cors.headers.map((name) => name.toLowerCase())])
  reply.code(200).header('vary', VARY).header('x-content-type-options', 'nosniff')
  const origin = allowedOrigin(cors, request)
  if (origin === undefined || !cors.methods.includes(method) || wanted.some((name) => !allowed.has(name.toLowerCase())))
    return reply.send()
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-allow-methods', method)
    .header('access-control-max-age', String(cors.maxAge))
  if (wanted.length > 0) reply.header('access-control-allow-headers', wanted.map(canonical).join(', '))
  if (cors.credentials) reply.header('access-control-allow-credentials', 'true')
  return reply.send()
}

/** Responses of this plugin have the headers of the settings, if there are any. */
export function addCorsHook(plugin: FastifyInstance, cors: CorsSettings | undefined): void {
  if (cors)
    plugin.addHook('onRequest', (request, reply, done) => {
      addCorsHeaders(cors, request, reply)
      done()
    })
}

/** The response depends on the origin: `vary` is sent for every request. */
export function addCorsHeaders(cors: CorsSettings, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Origin')
  const origin = request.headers.origin === undefined ? undefined : allowedOrigin(cors, request)
  if (origin === undefined) return
  reply.header('access-control-allow-origin', origin)
  if (cors.credentials) reply.header('access-control-allow-credentials', 'true')
}

function allowedOrigin(cors: CorsSettings, request: FastifyRequest): string | undefined {
  const origin = request.headers.origin!
  if (cors.origins.includes('*')) return cors.credentials ? origin : '*'
  return cors.origins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase()) ? origin : undefined
}

const canonical = (name: string): string =>
  name.toLowerCase().replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
