import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifySchema } from 'fastify'
import { APIError, APINotFound } from './answer/error.model.ts'
import type { Operation } from './operation.ts'
import { compilePath } from './path/path.ts'

type Json = Record<string, unknown>

/** A schema by its `$id`, with references in place of the schemas inside it. */
export type Models = Map<string, Json>

/** Replaces `patternProperties` until the document is finished. */
export const PATTERN_PROPERTIES = 'x-pattern-properties'

/** The path as OpenAPI writes it: `{ref*}` and `{id:int}` are `{ref}` and `{id}`. */
export const openApiPath = (path: string): string => path.replaceAll(/\{(\w+)[^}]*\}/g, '{$1}')

/**
 * The Fastify schema of an operation at one of its paths, 0 being the main one. Schemas with an `$id` become references
 * and go to `models`.
 */
export function routeSchema(operation: Operation, pathIndex: number, models: Models): FastifySchema {
  const { id, area, summary, query, body } = operation
  const path = [operation.path, ...operation.aliases][pathIndex]!
  const names = compilePath(path).names
  return {
    operationId: pathIndex === 0 ? id : `${id}_${pathIndex}`,
    tags: [area],
    summary,
    description: describeCallers(operation),
    ...(names.length > 0 && { params: Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()]))) }),
    ...(query && { querystring: { type: 'object', properties: toReferences(query.properties, models) } }),
    ...(body && { body: bodySchema(operation, body, models) }),
    response: responses(operation, models),
  }
}

function describeCallers({ guard, method, scopes }: Operation): string {
  const level = method === 'GET' ? 'read' : 'write'
  const needed = scopes.map((scope) => `${level}:${scope}`).join(' and ')
  return `Who: ${guard.describe}.${needed === '' ? '' : ` Token scope: ${needed}.`}`
}

function bodySchema({ bodyKind }: Operation, body: TObject, models: Models): Json {
  if (bodyKind === 'text') return { content: { 'text/plain': { schema: { type: 'string' } } } }
  const type = bodyKind === 'stream' ? 'multipart/form-data' : 'application/json'
  return { content: { [type]: { schema: toReferences(body, models) } } }
}

function responses({ responses: successes, guard, errors }: Operation, models: Models): Json {
  const result: Json = {}
  for (const [status, schema] of Object.entries(successes)) {
    result[status] =
      schema === null
        ? { type: 'null', description: 'Done' }
        : {
            description: Number(status) < 400 ? 'Success' : 'Refused',
            content: { [mediaType(schema)]: { schema: toReferences(schema, models) } },
          }
  }
  const needed = guard.needsUser ? [401, 403] : []
  for (const status of new Set([...needed, ...errors])) {
    const description = status === 404 ? 'Missing or hidden' : 'Refused'
    const schema = toReferences(status === 404 ? APINotFound : APIError, models)
    result[status] = { description, content: { 'application/json': { schema } } }
  }
  return result
}

const mediaType = (schema: TSchema): string => (schema['contentMediaType'] as string | undefined) ?? 'application/json'

/**
 * A schema as plain JSON; parts with an `$id` go to `models` and leave a reference. Our own `x-` members are omitted.
 */
export function toReferences(value: unknown, models: Models): unknown {
  if (Array.isArray(value)) return value.map((item) => toReferences(item, models))
  if (value === null || typeof value !== 'object') return value
  const { $id, $ref, ...rest } = value as Json & { $id?: string; $ref?: string }
  if ($ref !== undefined) return { $ref: `${$ref}#` }
  const convert = (): Json =>
    Object.fromEntries(
      Object.entries(rest)
        .filter(([key]) => !key.startsWith('x-'))
        .map(([key, item]) => [key === 'patternProperties' ? PATTERN_PROPERTIES : key, toReferences(item, models)]),
    )
  if ($id === undefined) return convert()
  if (!models.has($id)) {
    models.set($id, {}) // NOTE: a model may contain itself.
    models.set($id, { $id, ...convert() })
  }
  return { $ref: `${$id}#` }
}
