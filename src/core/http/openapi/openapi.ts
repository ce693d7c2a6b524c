import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import Fastify, { type HTTPMethods } from 'fastify'
import { finishDocument } from './openapi-document.ts'
import type { Operation } from '../operation.ts'
import { APIError } from '../answer/error.model.ts'
import { type Models, openApiPath, routeSchema, toReferences } from '../route-schema.ts'

export interface OpenApiInfo {
  readonly version: string
  readonly serverUrl: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route of the instance that describes the API stands for. */
    described?: { readonly path: string; readonly schema: FastifySchema }
  }
}

/**
 * The OpenAPI 3.1 document of the operations, made by @fastify/swagger of their route schemas.
 *
 * It is made of an instance that serves nothing: a route of the server has all operations that the router cannot
 * distinguish, a description needs one route for each path of each operation. So schemas cost nothing when the server
 * starts.
 */
export async function createOpenApi(
  operations: readonly Operation[],
  info: OpenApiInfo,
): Promise<Record<string, unknown>> {
  const app = Fastify({ exposeHeadRoutes: false })
  await app.register(swagger, {
    openapi: documentParts(operations, info),
    refResolver: { buildLocalReference: ({ $id }) => $id as string },
    convertConstToEnum: false,
    exposeHeadRoutes: true,
    // NOTE: the route's own schema would have another operationId for HEAD.
    transform({ route }) {
      const { schema, path } = route.config!.described!
      return { schema, url: path }
    },
  })
  const models: Models = new Map()
  toReferences(APIError, models)
  for (const operation of operations) {
    const method = operation.method as HTTPMethods
    for (const [index, path] of [operation.path, ...operation.aliases].entries()) {
      const described = { path: openApiPath(path), schema: routeSchema(operation, index, models) }
      app.route({ method, url: `/${operation.id}/${index}`, config: { described }, handler: () => undefined })
    }
  }
  for (const model of models.values()) app.addSchema(model)
  await app.ready()
  const document = finishDocument(app.swagger() as unknown as Record<string, unknown>, operations)
  await app.close()
  return document
}

function documentParts(
  operations: readonly Operation[],
  { version, serverUrl }: OpenApiInfo,
): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ingot API',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description: 'A drop-in for clients of the Gitea/Forgejo API v1.',
    },
    servers: [{ url: serverUrl }],
    security: [{ token: [] }, { basic: [] }, {}],
    tags: [...new Set(operations.map((operation) => operation.area))].toSorted().map((name) => ({ name })),
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`token VALUE` or `Bearer VALUE`' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  }
}
