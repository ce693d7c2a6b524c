import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHostGuard, createOutgoingClient, type OutgoingClient } from '../../../../core/platform/outgoing/index.ts'
import { createLfsClient, type LfsClient } from './client.ts'
import { type LfsServer, lfsServerOf } from './client-requests.ts'

interface Seen {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: Server
let port: number
let seen: Seen[]
let answer: (seen: Seen, response: ServerResponse) => void
let outgoing: OutgoingClient
let client: LfsClient

const OBJECT = { oid: 'a'.repeat(64), size: 5 }
const signal = new AbortController().signal
const json = (response: ServerResponse, value: unknown): unknown =>
  response.writeHead(200, { 'content-type': 'application/vnd.git-lfs+json' }).end(JSON.stringify(value))

beforeEach(async () => {
  seen = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const entry = {
      method: request.method!,
      path: request.url!,
      host: request.headers.host!,
      headers: request.headers,
      body,
    }
    seen.push(entry)
    answer(entry, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  outgoing = createOutgoingClient({
    guard: createHostGuard('loopback', 'test.hosts', async () => ['127.0.0.1']),
    userAgent: 'test',
  })
  client = createLfsClient({ client: outgoing, timeout: 10_000, retryDelay: 1 })
})
afterEach(async () => {
  await outgoing.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const place = (): LfsServer =>
  lfsServerOf({ url: `http://one.test:${port}/o/r.git`, credentials: { username: 'ann', password: 'pw' } })!

async function download(): Promise<{ got: string[]; failed: string[] }> {
  const [got, failed]: [string[], string[]] = [[], []]
  const take = async (_: object, bytes: AsyncIterable<Uint8Array>): Promise<void> =>
    void got.push(Buffer.concat(await Array.fromAsync(bytes)).toString())
  await client.download(place(), [OBJECT], { signal, take, failed: (_, problem) => void failed.push(problem) })
  return { got, failed }
}

describe('the LFS client', () => {
  it('sends credentials only to the server of the repository', async () => {
    const href = (host: string): object => ({
      objects: [
        {
          oid: OBJECT.oid,
          actions: {
            download: {
              href: `http://${host}:${port}/bytes`,
              header: {
                'X-One': '1',
                Host: 'evil',
                'Transfer-Encoding': 'chunked',
                'bad name': 'x',
                'X-Two': 'a\r\nb: c',
              },
            },
          },
        },
      ],
    })
    for (const host of ['one.test', 'two.test']) {
      answer = ({ path }, response) => void (path === '/bytes' ? response.end('12345') : json(response, href(host)))
      expect(await download()).toEqual({ got: ['12345'], failed: [] })
    }
    const [batch, own, , other] = seen
    expect(batch).toMatchObject({
      method: 'POST',
      path: '/o/r.git/info/lfs/objects/batch',
      headers: { authorization: 'Basic YW5uOnB3', accept: 'application/vnd.git-lfs+json' },
    })
    expect(JSON.parse(batch!.body)).toEqual({
      operation: 'download',
      transfers: ['basic'],
      hash_algo: 'sha256',
      objects: [OBJECT],
    })
    expect(own!.headers).toMatchObject({ authorization: 'Basic YW5uOnB3', 'x-one': '1', host: `one.test:${port}` })
    expect([own!.headers['x-two'], own!.headers['transfer-encoding']]).toEqual([undefined, undefined])
    expect(other!.headers).toMatchObject({ 'x-one': '1', host: `two.test:${port}` })
    expect(other!.headers.authorization).toBeUndefined()
  })

  it('reports an error for each failed object', async () => {
    const cases: [unknown, string][] = [
      [{ objects: [] }, 'the other server does not mention it'],
      [{ objects: [{ oid: OBJECT.oid, error: { code: 410, message: 'gone\nforever' } }] }, '410 gone forever'],
      [{ objects: [{ oid: OBJECT.oid }] }, 'the other server does not say where it is'],
      [
        { objects: [{ oid: OBJECT.oid, actions: { download: { href: 'file:///etc/passwd' } } }] },
        'not an HTTP address: file:',
      ],
      [
        { objects: [{ oid: OBJECT.oid, actions: { download: { href: `http://one.test:${port}/long` } } }] },
        'it is larger than announced',
      ],
      [
        { objects: [{ oid: OBJECT.oid, actions: { download: { href: `http://one.test:${port}/none` } } }] },
        'status 404',
      ],
    ]
    for (const [batch, problem] of cases) {
      answer = ({ path }, response) =>
        void (path === '/long'
          ? response.end('123456')
          : path === '/none'
            ? response.writeHead(404).end()
            : json(response, batch))
      expect(await download()).toEqual({ got: [], failed: [problem] })
    }
  })

  it('retries temporary failures, three attempts in total', async () => {
    let fails = 2
    let asked = 0
    answer = ({ path }, response) => {
      if (path !== '/bytes')
        return void json(response, {
          objects: [{ oid: OBJECT.oid, actions: { download: { href: `http://one.test:${port}/bytes` } } }],
        })
      if (++asked > fails) return void response.end('12345')
      return asked === 1 ? void response.writeHead(503).end() : void response.destroy()
    }
    expect(await download()).toEqual({ got: ['12345'], failed: [] })
    ;[fails, asked] = [3, 0]
    expect((await download()).failed).toHaveLength(1)
    expect(asked).toBe(3)
  })

  it('fails if the server does not respond', async () => {
    const cases: [number, string, string][] = [
      [401, '', 'auth'],
      [403, '', 'auth'],
      [404, '', 'failed'],
      [429, '', 'busy'],
      [500, '', 'failed'],
      [200, 'no json', 'failed'],
      [200, '{"objects":[],"transfer":"tus"}', 'failed'],
    ]
    for (const [status, body, kind] of cases) {
      answer = (_, response) => void response.writeHead(status).end(body)
      await expect(download()).rejects.toMatchObject({ name: 'RemoteError', kind })
    }
  })

  it('uploads requested objects with their size or in chunks, and requests verification', async () => {
    const action = (header: object): object => ({
      objects: [
        {
          oid: OBJECT.oid,
          actions: {
            upload: { href: `http://one.test:${port}/put`, header },
            verify: { href: `http://one.test:${port}/verify` },
          },
        },
      ],
    })
    const upload = (failed: string[]) =>
      client.upload(place(), [OBJECT], {
        signal,
        failed: (_, problem) => void failed.push(problem),
        open: async () =>
          (async function* () {
            yield Buffer.from('12345')
          })(),
      })
    for (const header of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      answer = ({ path }, response) => void (path.endsWith('/batch') ? json(response, action(header)) : response.end())
      await upload([])
    }
    const puts = seen.filter(({ path }) => path === '/put')
    expect(puts.map(({ body, headers }) => [body, headers['content-length'], headers['transfer-encoding']])).toEqual([
      ['12345', '5', undefined],
      ['12345', undefined, 'chunked'],
    ])
    expect(JSON.parse(seen.at(-1)!.body)).toEqual(OBJECT)
    const failed: string[] = []
    answer = ({ path }, response) =>
      void (path.endsWith('/batch')
        ? json(response, action({}))
        : response.writeHead(path === '/verify' ? 422 : 200).end())
    await upload(failed)
    answer = (_, response) => void json(response, { objects: [{ oid: OBJECT.oid }] })
    const before = seen.length
    await upload(failed)
    expect([failed, seen.length - before]).toEqual([['not verified: status 422'], 1])
  })
})

describe('the LFS endpoint', () => {
  it('is the one of the specification, or the one that the user configured', () => {
    const credentials = { username: 'ann', password: 'pw' }
    const of = (url: string, endpoint = '') => lfsServerOf({ url, credentials, endpoint })
    expect(of('https://h/o/r')).toEqual({ url: 'https://h/o/r.git/info/lfs', authorization: 'Basic YW5uOnB3' })
    expect(of('https://h/o/r.git/')?.url).toBe('https://h/o/r.git/info/lfs')
    expect(of('https://h/o/r.git', 'https://h/lfs/')).toEqual({ url: 'https://h/lfs', authorization: 'Basic YW5uOnB3' })
    expect(of('https://h/o/r.git', 'https://other/lfs')).toEqual({ url: 'https://other/lfs', authorization: undefined })
    expect(of('https://h/o/r.git', 'https://x:y@other/lfs')).toEqual({
      url: 'https://other/lfs',
      authorization: 'Basic eDp5',
    })
    expect(of('https://h/o/r.git', 'ssh://other/lfs')).toBeUndefined()
  })
})
