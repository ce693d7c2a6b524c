import type { TObject, TSchema } from '@sinclair/typebox'
import { APIError, APINotFound } from './error.model.ts'
import type { Operation } from './operation.ts'

type Json = Record<string, unknown>

export interface OpenApiInfo {
  readonly version: string
  readonly serverUrl: string
}

/** The OpenAPI 3.1 document of the operations: every schema with an `$id` becomes a component. */
export function createOpenApi(operations: readonly Operation[], info: OpenApiInfo): Json {
  const components = new Map<string, Json>()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    for (const [index, path] of [operation.path, ...operation.aliases].entries()) {
      const item = (paths[path.replaceAll(/\{(\w+)[^}]*\}/g, '{$1}')] ??= {})
      item[operation.method.toLowerCase()] = describe(operation, index, components)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ingot API',
      version: info.version,
      license: { name: 'MIT', identifier: 'MIT' },
      description: 'A drop-in for clients of the Gitea/Forgejo API v1.',
    },
    servers: [{ url: info.serverUrl }],
    security: [{ token: [] }, { basic: [] }, {}],
    tags: [...new Set(operations.map((operation) => operation.area))].toSorted().map((name) => ({ name })),
    paths: sorted(paths),
    components: {
      schemas: sorted(Object.fromEntries(components)),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`token VALUE` or `Bearer VALUE`' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  }
}

function describe(operation: Operation, alias: number, components: Map<string, Json>): Json {
  const scopes =
    operation.scopes.length === 0
      ? ''
      : ` Token scope: ${operation.scopes.map((scope) => `${operation.method === 'GET' ? 'read' : 'write'}:${scope}`).join(' and ')}.`
  const body = operation.body && requestBody(operation, components)
  return {
    operationId: alias === 0 ? operation.id : `${operation.id}_${alias}`,
    tags: [operation.area],
    summary: operation.summary,
    description: `Who: ${operation.guard.describe}.${scopes}`,
    parameters: [
      ...pathParameters(alias === 0 ? operation.path : operation.aliases[alias - 1]!),
      ...queryParameters(operation),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses(operation, components),
  }
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)[^}]*\}/g)].map((match) => ({
    name: match[1],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(operation: Operation): Json[] {
  return Object.entries(operation.query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = plain(schema, new Map()) as { description?: string }
    return { name, in: 'query', required: false, ...(description === undefined ? {} : { description }), schema: rest }
  })
}

function requestBody(operation: Operation, components: Map<string, Json>): Json {
  if (operation.bodyKind === 'text') return { content: { 'text/plain': { schema: { type: 'string' } } } }
  const schema = reference(operation.body!, components)
  const type = operation.bodyKind === 'stream' ? 'multipart/form-data' : 'application/json'
  return { required: (operation.body as TObject).required !== undefined, content: { [type]: { schema } } }
}

function responses(operation: Operation, components: Map<string, Json>): Json {
  const result: Json = {}
  for (const [status, schema] of Object.entries(operation.responses)) {
    result[status] =
      schema === null
        ? { description: 'Done' }
        : { description: 'Success', content: { [mediaType(schema)]: { schema: reference(schema, components) } } }
  }
  const needed = operation.guard.needsUser ? [401, 403] : []
  for (const status of new Set([...needed, ...operation.errors])) {
    const schema = status === 404 ? APINotFound : APIError
    result[status] = {
      description: status === 404 ? 'Missing or hidden' : 'Refused',
      content: { 'application/json': { schema: reference(schema, components) } },
    }
  }
  return result
}

const mediaType = (schema: TSchema): string => (schema['contentMediaType'] as string | undefined) ?? 'application/json'

function reference(schema: TSchema, components: Map<string, Json>): Json {
  return plain(schema, components) as Json
}

/** A schema as plain JSON; parts with an `$id` go to the components and leave a reference. */
function plain(value: unknown, components: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, components))
  if (value === null || typeof value !== 'object') return value
  const { $id, ...rest } = value as Json & { $id?: string }
  const recursive =
    typeof rest['$ref'] === 'string' && !String(rest['$ref']).startsWith('#')
      ? { $ref: `#/components/schemas/${String(rest['$ref'])}` }
      : undefined
  if (recursive) return recursive
  const convert = (): Json =>
    Object.fromEntries(
      Object.entries(rest)
        .filter(([key]) => !key.startsWith('x-'))
        .map(([key, item]) => [key, plain(item, components)]),
    )
  if ($id === undefined) return convert()
  if (!components.has($id)) {
    components.set($id, {})
    components.set($id, convert())
  }
  return { $ref: `#/components/schemas/${$id}` }
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
