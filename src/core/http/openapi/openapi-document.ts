import type { Operation } from '../operation.ts'
import { PATTERN_PROPERTIES } from '../route-schema.ts'

type Json = Record<string, unknown>

interface Described extends Json {
  readonly operationId: string
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
}

/**
 * The document as @fastify/swagger made it, in a fixed order, with what the plugin leaves out: which bodies are
 * required, empty lists of parameters, and the names of free members.
 */
export function finishDocument(made: Json, operations: readonly Operation[]): Json {
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
  const ordered = ['path', 'query'].flatMap((place) => parameters.filter((parameter) => parameter['in'] === place))
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

/** Which one it is depends on the size and rate of requests and on the state of the server, not on the operation. */
const OTHER_ERROR = {
  description: 'Another error, such as 413, 414, 422, 429, 431 or 503',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/APIError' } } },
}

const orderedParameter = ({ name, in: place, required, description, schema }: Json): Json => ({
  name,
  in: place,
  required,
  ...(description === undefined ? {} : { description }),
  schema,
})

/** NOTE: the plugin would make `additionalProperties` of `patternProperties`. */
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
