import type { IncomingMessage } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type LargeBodies, queueLargeBodies, bodyLimit, receiveBody } from './body/large-bodies.ts'
import { addCorsHook, type CorsSettings } from './cors.ts'
import type { Operation } from './operation.ts'
import type { Pipeline } from './pipeline.ts'
import { isStreaming, registerRoutes, type Route } from './routes.ts'

export const API_PREFIX = '/api/v1'

/** The parts that a module adds to the HTTP server. */
export interface HttpModule {
  readonly name: string
  /** Below API_PREFIX. */
  readonly operations?: readonly Operation[]
  /** Registers addresses outside of API_PREFIX. */
  routes?(http: FastifyInstance): Promise<void> | void
}

interface ApiParts {
  /** The routes of all modules. */
  readonly routes: readonly Route[]
  readonly pipeline: Pipeline
  readonly cors: CorsSettings | undefined
  /** Maximum bytes of a body of any operation. */
  readonly bodyLimit: number
  /** The limiter of large bodies, shared by all modules. */
  readonly largeBodies: LargeBodies
}

/**
 * The encapsulated Fastify plugin of one module, called by the module's name. Uploads have a scope of their own, since
 * multipart adds two hooks and a listener to every request of its scope, which the other operations need not pay for.
 */
export function modulePlugin(module: HttpModule, parts: ApiParts): FastifyPluginAsync {
  const { name } = module
  const { routes, pipeline, cors } = parts
  const own = routes.filter((route) => route.module === name)
  const registerApi = async (app: FastifyInstance, { title, chosen, prepare }: ApiScope): Promise<void> => {
    if (chosen.length === 0) return
    const scope = named(`${name} ${title}`, async (api) => {
      addCorsHook(api, cors)
      await prepare(api)
      registerRoutes(api, chosen, pipeline)
    })
    await app.register(scope, { prefix: API_PREFIX })
  }
  return named(name, async (app) => {
    const buffered = own.filter((route) => !isStreaming(route))
    await registerApi(app, {
      title: 'operations',
      chosen: buffered,
      prepare: (api) => keepBodies(api, parts),
    })
    await registerApi(app, { title: 'uploads', chosen: own.filter(isStreaming), prepare: readUploads })
    await module.routes?.(app)
  })
}

interface ApiScope {
  readonly title: string
  readonly chosen: readonly Route[]
  prepare(api: FastifyInstance): Promise<void> | void
}

/** NOTE: without the symbol Fastify compares a plugin with each module of the process to find its name: 0.2 ms each. */
const named = (name: string, plugin: FastifyPluginAsync): FastifyPluginAsync =>
  Object.defineProperties(plugin, { name: { value: name }, [Symbol.for('fastify.display-name')]: { value: name } })

async function readUploads(api: FastifyInstance): Promise<void> {
  await api.register(multipart)
}

/** Bodies of every type are read as bytes: digests cover these, and each operation declares how to decode them. */
function keepBodies(api: FastifyInstance, { bodyLimit: max, largeBodies }: ApiParts): void {
  queueLargeBodies(api, largeBodies, max)
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) =>
    receiveBody(payload, Number(request.headers['content-length'] ?? 0), bodyLimit(request, max)),
  )
}
