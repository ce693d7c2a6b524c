import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { notFound } from '../platform/errors.ts'
import { mayBeInBody } from './caller.ts'
import type { Operation } from './operation.ts'
import { compilePath, type PathPattern } from './path.ts'
import type { Matched, Pipeline } from './pipeline.ts'
import { send } from './send.ts'
import { hasSignedBody } from './signed-body.ts'

interface Candidate {
  readonly operation: Operation
  readonly pattern: PathPattern
}

export interface Route {
  readonly method: string
  readonly routerPath: string
  readonly candidates: readonly Candidate[]
}

const matched = new WeakMap<FastifyRequest, Matched>()

/** The operation that a request was admitted to. */
export const operationOf = (request: FastifyRequest): Operation | undefined => matched.get(request)?.operation

/** Operations by what the router can tell apart; where several share a router path, the most literal goes first. */
export function groupRoutes(operations: readonly Operation[]): Route[] {
  const groups = new Map<string, { method: string; routerPath: string; candidates: Candidate[] }>()
  const ids = new Set<string>()
  for (const operation of operations) {
    if (ids.has(operation.id)) throw new Error(`two operations are called ${operation.id}`)
    ids.add(operation.id)
    for (const path of [operation.path, ...operation.aliases]) {
      const pattern = compilePath(path)
      const key = `${operation.method} ${pattern.routerPath}`
      const group = groups.get(key) ?? { method: operation.method, routerPath: pattern.routerPath, candidates: [] }
      group.candidates.push({ operation, pattern })
      groups.set(key, group)
    }
  }
  for (const group of groups.values()) group.candidates.sort((a, b) => b.pattern.weight - a.pattern.weight)
  return [...groups.values()]
}

/**
 * Registers routes: who calls and whether they may is settled before any body is read, forms excepted, which may say
 * who calls.
 */
export function registerRoutes(app: FastifyInstance, routes: readonly Route[], pipeline: Pipeline): void {
  const admit = async ({ operation, params }: Chosen, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    matched.set(request, { operation, params, ...(await pipeline.admit(operation, params, request, reply)) })
  }
  for (const route of routes) {
    app.route({
      method: route.method as HTTPMethods,
      url: route.routerPath,
      exposeHeadRoute: false,
      onRequest: async (request, reply) => {
        const chosen = choose(route, request)
        if (!mayBeInBody(chosen.operation, request)) await admit(chosen, request, reply)
      },
      preHandler: async (request, reply) => {
        if (!matched.has(request)) await admit(choose(route, request), request, reply)
        const { viewer, operation } = matched.get(request)!
        if (!hasSignedBody(viewer, request, operation)) await admit(choose(route, request), request, reply)
      },
      handler: async (request, reply) => {
        return send(reply, await pipeline.run(matched.get(request)!, request, reply))
      },
    })
  }
}

const patterns = new WeakMap<FastifyRequest, PathPattern>()

/** The path that a request was understood by. */
export const patternOf = (request: FastifyRequest): PathPattern | undefined => patterns.get(request)

interface Chosen {
  readonly operation: Operation
  readonly params: Record<string, string>
}

function choose(route: Route, request: FastifyRequest): Chosen {
  for (const { operation, pattern } of route.candidates) {
    const params = pattern.match(request.params as Record<string, string>)
    if (params === undefined) continue
    patterns.set(request, pattern)
    return { operation, params }
  }
  throw notFound('no such path')
}
