/**
 * The OpenAPI 3.1 document as Swagger 2.0, which the generators of existing clients read. `schemes` begins with https
 * (behaviour/base-interface#versioning).
 */
type Json = Record<string, unknown>

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head'])

export function toSwagger(openapi: Json): Json {
  const components = openapi['components'] as Record<'schemas' | 'responses', Record<string, Json>>
  return {
    swagger: '2.0',
    info: withoutIdentifier(openapi['info'] as Json),
    schemes: ['https', 'http'],
    basePath: '/api/v1',
    consumes: ['application/json', 'text/plain'],
    produces: ['application/json', 'text/html'],
    securityDefinitions: {
      AuthorizationHeaderToken: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`token VALUE` or `Bearer VALUE`',
      },
      BasicAuth: { type: 'basic' },
    },
    security: [{ AuthorizationHeaderToken: [] }, { BasicAuth: [] }],
    tags: openapi['tags'],
    paths: mapValues(openapi['paths'] as Record<string, Json>, (item) =>
      mapValues(item, (value, key) => (METHODS.has(key) ? operation(value as Json) : value)),
    ),
    definitions: mapValues(components.schemas, schema),
    responses: mapValues(components.responses, response),
  }
}

function withoutIdentifier(info: Json): Json {
  const { identifier: _, ...license } = info['license'] as Json
  return { ...info, license }
}

function operation(value: Json): Json {
  const { requestBody, parameters, responses, ...rest } = value
  const body = requestBody as { required?: boolean; content: Record<string, { schema: Json }> } | undefined
  const consumes = body && Object.keys(body.content)
  return {
    ...rest,
    ...(consumes ? { consumes } : {}),
    produces: produced(responses as Record<string, Json>),
    parameters: [...(parameters as Json[]).map(parameter), ...(body ? bodyParameters(body) : [])],
    responses: mapValues(responses as Record<string, Json>, response),
  }
}

/** The media types of success; JSON where success has no body, since errors are JSON. */
function produced(responses: Record<string, Json>): string[] {
  const types = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith('2') ? Object.keys((content ?? {}) as Json) : [],
  )
  return types.length > 0 ? [...new Set(types)] : ['application/json']
}

function parameter({ schema: shape, ...rest }: Json): Json {
  return { ...rest, type: 'string', ...schema(shape as Json) }
}

function bodyParameters(body: { required?: boolean; content: Record<string, { schema: Json }> }): Json[] {
  const [[type, { schema: shape }]] = Object.entries(body.content) as [[string, { schema: Json }]]
  if (type === 'multipart/form-data') return [{ name: 'attachment', in: 'formData', type: 'file' }]
  return [{ name: 'body', in: 'body', required: body.required ?? false, schema: schema(shape) }]
}

function response({ $ref, description, content }: Json): Json {
  if ($ref !== undefined) return { $ref: ($ref as string).replace('#/components/responses/', '#/responses/') }
  const [media] = Object.values((content ?? {}) as Record<string, { schema: Json }>)
  return { description, ...(media ? { schema: schema(media.schema) } : {}) }
}

/** Swagger 2.0 has no `null` type, no unions and no pattern properties. */
function schema(value: Json): Json {
  if (Array.isArray(value['anyOf'])) return union(value, value['anyOf'] as Json[])
  const result: Json = {}
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref') result[key] = String(member).replace('#/components/schemas/', '#/definitions/')
    else if (key === 'properties') result[key] = mapValues(member as Record<string, Json>, schema)
    else if (key === 'items') result[key] = schema(member as Json)
    else if (key === 'patternProperties')
      result['additionalProperties'] = schema(Object.values(member as Record<string, Json>)[0] ?? {})
    else if (key === 'const') result['enum'] = [member]
    else if (key !== 'contentMediaType') result[key] = member
  }
  return result
}

function union(value: Json, options: Json[]): Json {
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'anyOf'))
  const real = options.filter((option) => option['type'] !== 'null')
  const nullable = real.length < options.length ? { 'x-nullable': true } : {}
  if (real.length === 1) return { ...schema(real[0]!), ...rest, ...nullable }
  if (real.every((option) => 'const' in option))
    return { type: typeof real[0]?.['const'], enum: real.map((option) => option['const']), ...rest, ...nullable }
  return { ...rest, ...nullable }
}

const mapValues = <T, R>(record: Record<string, T>, map: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
