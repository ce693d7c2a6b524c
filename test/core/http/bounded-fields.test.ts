import type { TSchema } from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/core/http/operation.ts'
import { startServer, type TestServer } from '../../harness/server.ts'

/** Every text, list and map that a client may send has a limit (behaviour/auth-and-access#request-limits). */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** The positions at which a schema lets a client send as much as it likes. */
function unbounded(schema: TSchema, at: string): string[] {
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].flatMap((option: TSchema) => unbounded(option, at))
  switch (schema['type']) {
    case 'integer':
    case 'number':
    case 'boolean':
      return []
    case 'string':
      return schema['maxLength'] === undefined && schema['enum'] === undefined ? [at] : []
    case 'array':
      return [...(schema['maxItems'] === undefined ? [at] : []), ...unbounded(schema['items'], `${at}[]`)]
    case 'object':
      return unboundedMembers(schema, at)
    default:
      return [`${at} is of any type`]
  }
}

function unboundedMembers({ properties, patternProperties, maxProperties }: TSchema, at: string): string[] {
  const members = (schemas: Record<string, TSchema>): string[] =>
    Object.entries(schemas).flatMap(([name, schema]) => unbounded(schema, `${at}.${name}`))
  if (properties !== undefined) return members(properties)
  return [...(maxProperties === undefined ? [at] : []), ...members(patternProperties ?? {})]
}

const fields = (operations: readonly Operation[]): string[] =>
  operations.flatMap(({ id, body, query }) => [
    ...(body ? unbounded(body, `body of ${id}: `) : []),
    ...(query ? unbounded(query, `query of ${id}: `) : []),
  ])

describe('what a client may send', () => {
  it('has a limit in each body and query', () => {
    expect(server.app.operations.length).toBeGreaterThan(250)
    expect(fields(server.app.operations)).toEqual([])
  })

  it('is said in the description of the API', async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      components: { schemas: Record<string, { properties: Record<string, Record<string, unknown>> }> }
    }
    const { CreateHookOption, CreateKeyOption, ChangeFilesOptions } = document.components.schemas
    expect(CreateKeyOption!.properties['key']).toMatchObject({ maxLength: 65_535 })
    expect(ChangeFilesOptions!.properties['files']).toMatchObject({ maxItems: 1000 })
    expect(CreateHookOption!.properties['config']).toMatchObject({ maxProperties: 100 })
  })

  it('is refused with the name of the field and the limit', async () => {
    const alice = await server.world.user('alice')
    await server.world.repo({ owner: alice, name: 'code', autoInit: true })
    const put = async (path: string, body: object) => (await alice.client.put(path, body)).json.message
    const post = async (path: string, body: object) => (await alice.client.post(path, body)).json.message
    const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`)
    expect(await put('/repos/alice/code/topics', { topics: many(101) })).toBe('[Topics]: MaxSize (at most 100 items)')
    expect(await put('/repos/alice/code/topics', { topics: ['x'.repeat(256)] })).toBe(
      '[Topics]: MaxSize (at most 255 characters)',
    )
    expect(await post('/repos/alice/code/contents', { files: Array(1001).fill({}) })).toBe(
      '[Files]: MaxSize (at most 1000 items)',
    )
    const config = Object.fromEntries(many(101).map((name) => [name, '']))
    expect(await post('/repos/alice/code/hooks', { type: 'gitea', config })).toBe(
      '[Config]: MaxSize (at most 100 items)',
    )
    const search = await alice.client.get(`/repos/search?q=${'x'.repeat(2049)}`)
    expect([search.status, search.json.error ?? search.json.message]).toEqual([
      422,
      '[Q]: MaxSize (at most 2048 characters)',
    ])
  })
})
