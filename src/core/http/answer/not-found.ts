import type { FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { notFound } from '../../platform/errors.ts'
import { addCorsHeaders, answerPreflight, type CorsSettings, isPreflight } from '../cors.ts'
import type { Route } from '../routes.ts'
import { API_PREFIX } from '../module-plugin.ts'

export interface NotFoundOptions {
  readonly routes: readonly Route[]
  readonly cors: CorsSettings | undefined
  /** As the server's router has it. */
  readonly maxParamLength: number
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Unknown paths: preflights, then 405 where another method would have matched, then 404: below /api as every 404 of the
 * API, elsewhere as plain text (behaviour/auth-and-access#request-pipeline).
 */
export function notFoundHandler(options: NotFoundOptions): Handler {
  const { cors } = options
  const methodsOf = methodFinder(options)
  return (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const isApi = path === API_PREFIX || path.startsWith(`${API_PREFIX}/`)
    if (cors && isApi && isPreflight(request)) return answerPreflight(cors, request, reply)
    if (cors && isApi) addCorsHeaders(cors, request, reply)
    const allowed = isApi ? methodsOf(path.slice(API_PREFIX.length)) : []
    reply.header('x-content-type-options', 'nosniff')
    if (allowed.length > 0) return reply.code(405).header('allow', allowed).send()
    if (path === '/api' || path.startsWith('/api/')) throw notFound('no such path')
    return reply.code(404).type('text/plain;charset=utf-8').send('404 page not found\n')
  }
}

/** The methods that a path answers to; the second router is made at the first miss. */
function methodFinder({ routes, maxParamLength }: NotFoundOptions): (path: string) => string[] {
  let router: ReturnType<typeof findMyWay> | undefined
  const methods = [...new Set(routes.map((route) => route.method))]
  return (path) => {
    if (router === undefined) {
      router = findMyWay({ ignoreTrailingSlash: true, maxParamLength })
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
