import type { TSchema } from '@sinclair/typebox'
import { FormatRegistry } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import type { Operation } from '../../src/core/http/operation.ts'
import { compilePath } from '../../src/core/http/path/path.ts'
import { API_PREFIX } from '../../src/core/http/module-plugin.ts'
import { quickFetch } from './quick-fetch.ts'

FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)))

export interface Response<T = never> {
  readonly status: number
  readonly headers: Headers
  /** Parsed when it is JSON. */
  readonly json: T extends never ? never : T
  readonly text: string
}

type Body = object | string | undefined

/** Calls the API at paths below /api/v1 and checks every success against the schema of its operation. */
export interface Client {
  get<T = Any>(path: string, headers?: Record<string, string>): Promise<Response<T>>
  post<T = Any>(path: string, body?: Body, headers?: Record<string, string>): Promise<Response<T>>
  put<T = Any>(path: string, body?: Body, headers?: Record<string, string>): Promise<Response<T>>
  patch<T = Any>(path: string, body?: Body, headers?: Record<string, string>): Promise<Response<T>>
  delete<T = Any>(path: string, body?: Body, headers?: Record<string, string>): Promise<Response<T>>
}

// The schema check below compares every answer with its declared type; tests read answers freely.
// eslint-disable-next-line typescript/no-explicit-any -- see above
export type Any = any

/** Every error of the API has its code in a header (behaviour/errors#errors). */
function requireCode(request: string, { status, headers }: Pick<Response, 'status' | 'headers'>): void {
  if (status >= 400 && !headers.has('x-ingot-reason')) throw new Error(`${request}: ${status} without a code`)
}

export function createClient(
  url: string,
  operations: readonly Operation[],
  credentials: Record<string, string>,
): Client {
  const call = async <T>(
    method: string,
    path: string,
    body: Body,
    headers: Record<string, string> = {},
  ): Promise<Response<T>> => {
    const type: Record<string, string> =
      body === undefined || headers['content-type']
        ? {}
        : { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }
    const answer = await quickFetch(path.startsWith('//') ? url + path.slice(1) : url + API_PREFIX + path, {
      method,
      headers: { ...type, ...credentials, ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const { status, text } = answer
    const isJson = (answer.headers.get('content-type') ?? '').includes('json')
    const json = isJson && text !== '' ? JSON.parse(text) : undefined
    if (!path.startsWith('//')) {
      requireCode(`${method} ${path}`, answer)
      if (status >= 200 && status <= 299 && status !== 205)
        checkAnswer(findOperation(operations, method, path), status, json)
    }
    return { status, headers: answer.headers, json, text } as Response<T>
  }
  return {
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, body, headers) => call('DELETE', path, body, headers),
  }
}

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>()

function checkAnswer(operation: Operation, status: number, json: unknown): void {
  if (!(status in operation.responses)) throw new Error(`${operation.id} answered ${status}, which it does not declare`)
  const schema = operation.responses[status]
  if (schema == null || schema['contentMediaType'] !== undefined) return
  const check = checks.get(schema) ?? checkOf(`${operation.id} ${status}`, schema)
  checks.set(schema, check)
  const error = check.Errors(json).First()
  if (error)
    throw new Error(
      `${operation.id} ${status}: ${error.path} ${error.message}, got ${JSON.stringify(error.value)?.slice(0, 200)}`,
    )
}

const compiledChecks = new Map<string, TypeCheck<TSchema>>()

/** Kept for all servers of the process, each of which makes schemas of its own. */
function checkOf(name: string, schema: TSchema): TypeCheck<TSchema> {
  const key = `${name} ${JSON.stringify(schema)}`
  const check = compiledChecks.get(key) ?? TypeCompiler.Compile(schema)
  compiledChecks.set(key, check)
  return check
}

function findOperation(operations: readonly Operation[], method: string, target: string): Operation {
  const path = decodeURIComponent(
    target
      .split('?', 1)[0]!
      .replace(/(.)\/$/, '$1')
      .replaceAll(/%2f/gi, '%252F'),
  )
  const best = routesOf(operations)
    .get(method)
    ?.find(({ regexp }) => regexp.test(path))
  if (best === undefined) throw new Error(`no operation answers ${method} ${path}`)
  return best.operation
}

interface Route {
  readonly operation: Operation
  readonly regexp: RegExp
  readonly weight: number
}

const routes = new WeakMap<readonly Operation[], ReadonlyMap<string, readonly Route[]>>()

/** Routes by method, the most specific first. NOTE: compiling them for each request took a millisecond of it. */
function routesOf(operations: readonly Operation[]): ReadonlyMap<string, readonly Route[]> {
  const made =
    routes.get(operations) ??
    Map.groupBy(
      operations
        .flatMap((operation) =>
          [operation.path, ...operation.aliases].map((path) => ({ operation, ...compiled(path) })),
        )
        .toSorted((a, b) => b.weight - a.weight),
      ({ operation }) => operation.method,
    )
  routes.set(operations, made)
  return made
}

const patterns = new Map<string, Pick<Route, 'regexp' | 'weight'>>()

/** Kept for all servers of the process. */
function compiled(pattern: string): Pick<Route, 'regexp' | 'weight'> {
  const made = patterns.get(pattern) ?? { regexp: regexpOf(pattern), weight: compilePath(pattern).weight }
  patterns.set(pattern, made)
  return made
}

function regexpOf(pattern: string): RegExp {
  const source = pattern.replaceAll(
    /\{\w+(?::([\w|]+))?(\*?)\}|[^{}]+/g,
    (part, words: string | undefined, star: string | undefined) =>
      part.startsWith('{')
        ? words && words !== 'int'
          ? `(?:${words})`
          : star
            ? '.+'
            : '[^/]+'
        : part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
  )
  return new RegExp(`^${source}$`)
}
