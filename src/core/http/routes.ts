import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { engineErrors } from '../platform/errors.ts'
import { mayBeInBody } from './caller.ts'
import { type CompiledOperation, compileOperation } from './compile-operation.ts'
import { isRead } from './is-read.ts'
import type { Operation } from './operation.ts'
import { compilePath, type PathPattern } from './path/path.ts'
import type { Pipeline } from './pipeline.ts'
import type { RouteMatch } from './request-state.ts'
import { send } from './answer/answer.ts'
import { hasSignedBody } from './body/signed-body.ts'

interface Candidate {
  readonly operation: CompiledOperation
  readonly pattern: PathPattern
}

/** A route of the router: a method and a path with one or more operations. */
export interface Route {
  readonly method: string
  readonly routerPath: string
  /** The module whose plugin registers the route: that of the operation declared first. */
  readonly module: string
  /** The most literal path comes first. */
  readonly candidates: readonly Candidate[]
}

interface Declared {
  readonly name: string
  readonly operations?: readonly Operation[]
}

/** The operation that the request is authorized for. */
export const operationOf = ({ state }: FastifyRequest): Operation | undefined => state.authorized?.operation

/**
 * Groups the operations of all modules by what the router can distinguish. Throws when two have the same id or an
 * alias lacks a parameter of the path.
 */
export function groupRoutes(modules: readonly Declared[]): Route[] {
  const groups = new Map<string, Route & { candidates: Candidate[] }>()
  const ids = new Set<string>()
  for (const { name: module, operations = [] } of modules) {
    for (const declared of operations) {
      const operation = compileOperation(declared)
      if (ids.has(operation.id)) throw new Error(`two operations are called ${operation.id}`)
      ids.add(operation.id)
      for (const pattern of patternsOf(operation)) {
        const { method } = operation
        const { routerPath } = pattern
        const key = `${method} ${routerPath}`
        const group = groups.get(key) ?? { method, routerPath, module, candidates: [] }
        group.candidates.push({ operation, pattern })
        groups.set(key, group)
      }
    }
  }
  for (const { candidates } of groups.values()) candidates.sort((a, b) => b.pattern.weight - a.pattern.weight)
  return [...groups.values()]
}

function patternsOf({ id, path, aliases, params }: Operation): PathPattern[] {
  const pattern = compilePath(path)
  const others = aliases.map(compilePath)
  const missing = pattern.names.filter((name) => !(name in params) && others.some(({ names }) => !names.includes(name)))
  if (missing.length > 0) throw new Error(`an alias of ${id} lacks ${missing.join(', ')}, which no reader provides`)
  return [pattern, ...others]
}

/** Whether the handler reads the body itself. */
export const isStreaming = ({ candidates }: Route): boolean =>
  candidates.some(({ operation }) => operation.bodyKind === 'stream')

/**
 * Registers routes. Authentication and authorization run before the body is read. Forms are the exception: they may
 * carry the token.
 */
export function registerRoutes(app: FastifyInstance, routes: readonly Route[], pipeline: Pipeline): void {
  const authorize: Authorize = async (match, request, reply) => {
    request.state.authorized = await pipeline.authorize(match, request, reply)
  }
  for (const route of routes) {
    app.route({
      method: route.method as HTTPMethods,
      url: route.routerPath,
      exposeHeadRoute: false,
      onRequest: async (request, reply) => {
        const match = findMatch(route, request)
        request.state.match = match
        if (!mayBeInBody(match.operation, request)) await authorize(match, request, reply)
      },
      // NOTE: the body of a GET is never read, so it cannot identify the caller.
      ...(isRead(route) ? {} : { preHandler: recheck(authorize) }),
      handler: async (request, reply) => send(reply, await pipeline.run(request.state.authorized!, request, reply)),
    })
  }
}

type Authorize = (match: RouteMatch, request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * After the body has been read: authorizes callers identified by it, and again those whose signature does not cover it.
 */
const recheck =
  (authorize: Authorize) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { state } = request
    const match = state.match!
    if (state.authorized === undefined) await authorize(match, request, reply)
    if (!hasSignedBody(state.authorized!.viewer, request, match.operation)) await authorize(match, request, reply)
  }

function findMatch({ candidates }: Route, request: FastifyRequest): RouteMatch {
  for (const { operation, pattern } of candidates) {
    const params = pattern.match(request.params as Record<string, string>)
    if (params !== undefined) return { operation, pattern, params }
  }
  throw engineErrors.pathNotFound()
}
