import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ settings: { 'service.require_signin_view': 'true' } })
})
afterAll(() => server.close())

type Json = Record<string, never>

/** Every `$ref` of a document, and where it leads. */
function brokenReferences(document: unknown): string[] {
  const found: string[] = []
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    const reference = (value as Json)['$ref']
    if (typeof reference === 'string') {
      const target = (reference as string)
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document)
      if (target === undefined) found.push(reference)
    }
    Object.values(value).forEach(visit)
  }
  visit(document)
  return found
}

describe('the description of the API', () => {
  it('is OpenAPI 3.1 with every operation once and no dangling reference', async () => {
    const { json, status } = await server.anonymous.get('//openapi.json')
    expect(status).toBe(200)
    expect(json.openapi).toBe('3.1.0')
    expect(json.info.version).toBe('1.1.1')
    const ids = Object.values(json.paths).flatMap((item) =>
      Object.values(item as object).map((operation: { operationId: string }) => operation.operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const operation of server.app.operations) expect(ids).toContain(operation.id)
    expect(brokenReferences(json)).toEqual([])
  })

  it('declares each path parameter that the path names, and no response without a description', async () => {
    const { json } = await server.anonymous.get('//openapi.json')
    for (const [path, item] of Object.entries<
      Record<string, { parameters: { name: string; in: string }[]; responses: Record<string, { description: string }> }>
    >(json.paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      for (const operation of Object.values(item)) {
        expect(
          operation.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
        ).toEqual(named)
        const { default: other, ...responses } = operation.responses
        expect(Object.values(responses).every((response) => response.description.length > 0)).toBe(true)
        expect(other).toEqual({ $ref: '#/components/responses/OtherError' })
      }
    }
  })

  it('declares a body for every success but 204 and that of mirror-sync', async () => {
    const { json } = await server.anonymous.get('//openapi.json')
    const empty = Object.values<Record<string, { operationId: string; responses: Record<string, { content?: Json }> }>>(
      json.paths,
    )
      .flatMap((item) => Object.values(item))
      .filter(({ responses }) =>
        Object.entries(responses).some(([status, { content }]) => /^2(?!04)/.test(status) && content === undefined),
      )
    expect(empty.map(({ operationId }) => operationId)).toEqual(['repoMirrorSync'])
  })

  it('is at the address that clients know, too', async () => {
    const own = await server.anonymous.get('//openapi.json')
    const known = await server.anonymous.get('//openapi.v1.json')
    expect([known.status, known.text]).toEqual([200, own.text])
  })

  it('is Swagger 2.0 for older generators, https first', async () => {
    const { json, status } = await server.anonymous.get('//swagger.v1.json')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      swagger: '2.0',
      schemes: ['https', 'http'],
      basePath: '/api/v1',
      info: { version: '1.1.1' },
      consumes: ['application/json', 'text/plain'],
      produces: ['application/json', 'text/html'],
    })
    expect(brokenReferences(json)).toEqual([])
    expect(JSON.stringify(json)).not.toContain('"anyOf"')
    expect(JSON.stringify(json)).not.toContain('#/components/')
    const produced = (method: string, path: string) => json.paths[path][method].produces
    expect(produced('post', '/markdown')).toEqual(['text/html'])
    expect(produced('get', '/repos/{owner}/{repo}/pulls/{index}.{diffType}')).toEqual(['text/plain'])
    expect(produced('get', '/user')).toEqual(['application/json'])
    expect(produced('put', '/user/following/{username}')).toEqual(['application/json'])
  })
})

describe('the reference page', () => {
  it('is found from /swagger and needs no other server', async () => {
    const moved = await server.anonymous.get('//swagger')
    expect(moved.status).toBe(303)
    expect(moved.headers.get('location')).toBe(`${server.url}/api/swagger`)
    const page = await server.anonymous.get('//api/swagger')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) expect((await fetch(server.url + link)).status, link).toBe(200)
  })

  it('can be turned off; the descriptions stay', async () => {
    const quiet = await startServer({ settings: { 'api.enable_swagger': 'false' } })
    expect((await quiet.anonymous.get('//api/swagger')).status).toBe(404)
    expect((await quiet.anonymous.get('//openapi.json')).status).toBe(200)
    await quiet.close()
  })
})
