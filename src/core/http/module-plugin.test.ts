import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../access/viewer.ts'
import { createLogger } from '../platform/logger.ts'
import { noContent, ok } from './answer/answer.ts'
import { anyone } from './guards/account.guards.ts'
import { defineOperation, type Operation } from './operation.ts'
import { createPipeline } from './pipeline.ts'
import { groupRoutes } from './routes.ts'
import { createServer } from './server.ts'
import type { HttpModule } from './module-plugin.ts'

const read = (id: string, path: string, aliases: readonly string[] = []): Operation =>
  defineOperation({
    id,
    method: 'GET',
    path,
    aliases,
    area: 'repository',
    summary: id,
    guard: anyone,
    responses: { 200: Type.Object({}) },
    handler: ({ params }) => ok({ id, params }),
  })

const modules: readonly HttpModule[] = [
  {
    name: 'commits',
    operations: [read('getCommit', '/commits/{sha}'), read('getLabel', '/labels/{id:int}')],
    async routes(http) {
      http.addHook('onRequest', async (_, reply) => void reply.header('x-of-commits', 'yes'))
      http.get('/commits.txt', async () => 'plain')
    },
  },
  {
    name: 'patches',
    operations: [
      read('getPatch', '/commits/{sha}.{kind:diff|patch}', ['/patches/{sha}.{kind:diff|patch}']),
      defineOperation({
        id: 'sendFile',
        method: 'POST',
        path: '/files',
        area: 'repository',
        summary: 'Send a file',
        guard: anyone,
        bodyKind: 'stream',
        responses: { 204: null },
        async handler({ upload }) {
          await upload({ field: 'file', maxBytes: 100, query: {}, raw: false }, async (sent) => {
            if (sent.kind === 'file') for await (const chunk of sent.source) void chunk
          })
          return noContent()
        },
      }),
    ],
    routes(http) {
      http.get('/patches.txt', async () => 'plain')
    },
  },
]

describe('routes', () => {
  it('that the router cannot distinguish are one, of the module that comes first', () => {
    const routes = groupRoutes(modules)
    expect(
      routes.map(({ method, routerPath, module, candidates }) => ({
        route: `${method} ${routerPath}`,
        module,
        ids: candidates.map(({ operation }) => operation.id),
      })),
    ).toEqual([
      { route: 'GET /commits/:p1', module: 'commits', ids: ['getPatch', 'getCommit'] },
      { route: 'GET /labels/:p1', module: 'commits', ids: ['getLabel'] },
      { route: 'GET /patches/:p1', module: 'patches', ids: ['getPatch'] },
      { route: 'POST /files', module: 'patches', ids: ['sendFile'] },
    ])
  })

  it('are complete, or there is no server', () => {
    const of = (...operations: Operation[]) => groupRoutes([{ name: 'x', operations }])
    expect(() => of(read('a', '/a'), read('a', '/b'))).toThrow('two operations are called a')
    expect(() => of(read('a', '/a/{x}', ['/a']))).toThrow('an alias of a lacks x')
  })
})

describe('the plugins of modules', () => {
  let app: FastifyInstance
  beforeAll(async () => {
    app = await createServer({
      log: createLogger('silent'),
      modules,
      domainError: (error) => error,
      pipeline: createPipeline({
        domainError: (error) => error,
        authenticate: async () => ANONYMOUS,
        recordSudo: async () => {},
        limitAnonymous: () => {},
        beginReads: () => ({ during: (work) => work(), end: () => {} }),
        findAccount: async () => undefined,
        findAccountById: async () => undefined,
        settings: {
          rootUrl: () => 'http://here',
          queryTokens: false,
          proxyHeaders: undefined,
          requireSignIn: false,
          paging: { defaultLimit: 30, maxLimit: 50 },
        },
      }),
      settings: {
        bodyLimit: 1000,
        receiveTimeoutMs: 1000,
        maxConnections: 1000,
        trustedProxies: 0,
        cors: undefined,
        rootUrl: () => 'http://here',
      },
    })
    await app.ready()
  })
  afterAll(() => app.close())

  const get = async (path: string): Promise<unknown> => (await app.inject({ url: `/api/v1${path}` })).json()

  it('are called by them', () => {
    const names = [...app.printPlugins().matchAll(/[─┬] (\w[\w ]*) \d+ ms$/gm)].map((match) => match[1])
    expect(names.filter((name) => !name!.startsWith('bound '))).toEqual([
      'commits',
      'commits operations',
      'patches',
      'patches operations',
      'patches uploads',
    ])
  })

  it('answer the operations of all modules that share a route', async () => {
    expect(await get('/commits/abc')).toEqual({ id: 'getCommit', params: { sha: 'abc' } })
    expect(await get('/commits/abc.diff')).toEqual({ id: 'getPatch', params: { sha: 'abc', kind: 'diff' } })
    expect(await get('/patches/abc.patch')).toEqual({ id: 'getPatch', params: { sha: 'abc', kind: 'patch' } })
    expect(await get('/labels/12')).toEqual({ id: 'getLabel', params: { id: 12 } })
    expect(await get('/labels/x')).toEqual({ id: 'getLabel', params: { id: 0 } })
  })

  it('keep their hooks to themselves', async () => {
    const [own, other] = await Promise.all(['/commits.txt', '/patches.txt'].map((url) => app.inject({ url })))
    expect([own!.body, own!.headers['x-of-commits']]).toEqual(['plain', 'yes'])
    expect([other!.body, other!.headers['x-of-commits']]).toEqual(['plain', undefined])
  })

  it('stream uploads', async () => {
    const boundary = 'b'
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--b--\r\n`
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    expect((await app.inject({ method: 'POST', url: '/api/v1/files', headers, body })).statusCode).toBe(204)
    expect((await app.inject({ method: 'POST', url: '/api/v1/files', body: 'x' })).statusCode).toBe(400)
  })
})
