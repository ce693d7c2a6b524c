import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import Fastify, { type HTTPMethods } from 'fastify'
import type { Operation } from '../operation.ts'
import { APIError } from '../answer/error.model.ts'
import { type Models, openApiPath, routeSchema, toReferences, PATTERN_PROPERTIES } from '../route-schema.ts'

type Json = Record<string, unknown>

interface Described extends Json {
  readonly operationId: string
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
}

/**
 * Completes the document of @fastify/swagger, in a fixed order, with what the plugin omits: which bodies are
 * required, empty lists of parameters, and the names of free members.
 */
function finishDocument(made: Json, operations: readonly Operation[]): Json {
  const { openapi, info, servers, security, tags, paths, components } = made
  const { schemas, ...rest } = components as { schemas: Record<string, Json> }
  const byId = new Map(
    operations.flatMap((operation) =>
      ['', ...operation.aliases.keys().map((index) => `_${index + 1}`)].map((end) => [operation.id + end, operation]),
    ),
  )
  const finish = (described: Described): Json => finishOperation(described, byId.get(described.operationId)!)
  const document = {
    openapi,
    info,
    servers,
    security,
    tags,
    paths: sorted(mapValues(paths as Record<string, Record<string, Described>>, (item) => mapValues(item, finish))),
    components: { schemas: sorted(schemas), responses: { OtherError: OTHER_ERROR }, ...rest },
  }
  return withPatternProperties(document) as Json
}

function finishOperation(described: Described, { bodyKind, body }: Operation): Json {
  const { operationId, tags, summary, description, parameters = [], requestBody, responses } = described
  const ordered = ['path', 'query'].flatMap((location) => parameters.filter((parameter) => parameter['in'] === location))
  const isRequired = bodyKind === 'text' ? {} : { required: body?.required !== undefined }
  return {
    operationId,
    tags,
    summary,
    description,
    parameters: ordered.map(orderedParameter),
    ...(requestBody && { requestBody: { ...isRequired, content: requestBody['content'] } }),
    responses: { ...(responses as Json), default: { $ref: '#/components/responses/OtherError' } },
  }
}

/** The status depends on the size and rate of requests and on the state of the server, not on the operation. */
const OTHER_ERROR = {
  description: 'Another error, such as 413, 414, 422, 429, 431 or 503',
  headers: {
    'X-Ingot-Reason': {
      description: 'The stable code of the error, which every error has, such as repo_not_found',
      schema: { type: 'string' },
    },
  },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/APIError' } } },
}

const orderedParameter = ({ name, in: location, required, description, schema }: Json): Json => ({
  name,
  in: location,
  required,
  ...(description === undefined ? {} : { description }),
  schema,
})

/** NOTE: the plugin would replace `patternProperties` by `additionalProperties`. */
function withPatternProperties(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPatternProperties)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key === PATTERN_PROPERTIES ? 'patternProperties' : key,
      withPatternProperties(item),
    ]),
  )
}

const mapValues = <T, R>(record: Record<string, T>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

export interface OpenApiInfo {
  readonly version: string
  readonly serverUrl: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation described by a route of the instance. */
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
