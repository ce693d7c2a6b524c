import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  allOf,
  type FakeService,
  json,
  NOW,
  startFakeService,
  status,
} from '../../../../test/migration/fake-service.ts'
import type { OutgoingClient } from '../../../core/platform/outgoing/index.ts'
import { createForgeApi, type ForgeApi } from './forge-api.ts'

const signal = new AbortController().signal
let service: FakeService
let elsewhere: FakeService

beforeEach(async () => {
  service = await startFakeService()
  elsewhere = await startFakeService()
})
afterEach(async () => {
  await service.close()
  await elsewhere.close()
})

const open = (tokens: readonly string[] = ['one'], client = service.deps.client): ForgeApi =>
  createForgeApi({
    ...service.deps,
    client,
    base: `${service.url}/api`,
    webUrl: service.url,
    credentials: tokens.map((token) => ({ authorization: token })),
    perPage: ['limit', 2],
  })

describe('lists of another service', () => {
  it('end at the total, at the last link, at an empty page, and where a page repeats itself', async () => {
    service.routes.set('/api/total?page=1&limit=2', json([1, 2], { 'x-total-count': '3' }))
    service.routes.set('/api/total?page=2&limit=2', json([3], { 'x-total-count': '3' }))
    service.routes.set('/api/link?page=1&limit=2', json([1], { link: `<${service.url}/api/x?after=a,b>; rel="next"` }))
    service.routes.set('/api/x?after=a,b', json([2], { link: `<${service.url}/api/x>; rel="prev"` }))
    service.routes.set('/api/empty?page=1&limit=2', json([1]))
    service.routes.set('/api/empty?page=2&limit=2', json([]))
    service.routes.set('/api/same', json([1, 2, 3]))
    for (const [page, next] of [
      [1, 2],
      [2, 1],
    ] as const)
      service.routes.set(
        `/api/ring?page=${page}&limit=2`,
        json([page], { link: `<${service.url}/api/ring?page=${next}&limit=2>; rel="next"` }),
      )
    const api = open()
    expect(await allOf(api.pages('/total', signal))).toEqual([1, 2, 3])
    expect(await allOf(api.pages('/link', signal))).toEqual([1, 2])
    expect(await allOf(api.pages('/empty', signal))).toEqual([1])
    expect(await Array.fromAsync(api.pages('/same', signal))).toEqual([[1, 2], [3]])
    expect(await allOf(api.pages('/ring', signal))).toEqual([1, 2])
  })

  it('begin at an item where the service knows no pages', async () => {
    service.routes.set('/api/list?offset=0&limit=2', json([1, 2]))
    service.routes.set('/api/list?offset=2&limit=2', json([3]))
    service.routes.set('/api/list?offset=4&limit=2', json([]))
    const api = createForgeApi({
      ...service.deps,
      base: `${service.url}/api`,
      webUrl: service.url,
      credentials: [],
      perPage: ['limit', 2],
      byOffset: true,
    })
    expect(await allOf(api.pages('/list', signal))).toEqual([1, 2, 3])
  })

  it('do not follow a link to another origin, but count pages', async () => {
    elsewhere.routes.set('/api/list', json(['stolen']))
    service.routes.set('/api/list?page=1&limit=2', json([1], { link: `<${elsewhere.url}/api/list>; rel="next"` }))
    service.routes.set('/api/list?page=2&limit=2', json([2], { link: '<x>; rel="prev"' }))
    expect(await allOf(open().pages('/list', signal))).toEqual([1, 2])
    expect(elsewhere.requests).toEqual([])
  })

  it('without an end stop the import', async () => {
    let page = 0
    const request = async (url: string) => ({ status: 200, headers: {}, url, body: Buffer.from(`[${page++}]`) })
    const api = open(['one'], { request } as unknown as OutgoingClient)
    await expect(allOf(api.pages('/list', signal))).rejects.toThrow('the list of the other server has no end')
  })

  it('are empty if the service lacks them, and report their length', async () => {
    service.routes.set('/api/gone', status(410))
    service.routes.set('/api/counted', json([1], { 'x-total': '7' }))
    service.routes.set('/api/linked', json([1], { link: `<${service.url}/x?page=9&limit=1>; rel="last"` }))
    const api = open()
    expect(await allOf(api.pages('/none', signal, [404]))).toEqual([])
    expect(await allOf(api.pages('/gone', signal, [404, 410]))).toEqual([])
    await expect(allOf(api.pages('/gone', signal))).rejects.toMatchObject({ kind: 'failed', status: 410 })
    expect(await api.find('/none', signal)).toBeUndefined()
    expect([await api.count('/counted', signal), await api.count('/linked', signal)]).toEqual([7, 9])
  })
})

describe('rate limits and failures of another service', () => {
  const once = (answer: Parameters<FakeService['routes']['set']>[1]): void => {
    service.routes.set('/api/x', (request, response) => {
      service.routes.set('/api/x', json('done'))
      answer(request, response)
    })
  }

  it('are waited for as the service says', async () => {
    const cases: [Parameters<FakeService['routes']['set']>[1], number][] = [
      [status(429, { 'retry-after': '7' }), 7_000],
      [status(429, { 'retry-after': new Date(NOW + 9_000).toUTCString() }), 9_000],
      [status(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 20) }), 21_000],
      [status(429, { 'ratelimit-remaining': '0', 'ratelimit-reset': '5' }), 6_000],
      [status(403, { 'retry-after': '3', 'x-ratelimit-remaining': '50' }), 3_000],
      [status(403, {}, 'You have exceeded a secondary rate limit'), 60_000],
      [status(503, { 'retry-after': '0' }), 1_000],
      [status(502), 3_000],
      [(request) => void request.socket.destroy(), 3_000],
    ]
    for (const [answer, wait] of cases) {
      once(answer)
      expect(await open().get('/x', signal)).toBe('done')
      expect(service.waits.splice(0)).toEqual([wait])
    }
  })

  it('end the import when the wait is too long, or after the third failure', async () => {
    service.routes.set('/api/x', status(429, { 'retry-after': '40' }))
    await expect(open().get('/x', signal)).rejects.toMatchObject({ kind: 'busy' })
    expect(service.waits.splice(0)).toEqual([40_000])
    service.routes.set('/api/x', status(500))
    await expect(open().get('/x', signal)).rejects.toMatchObject({ kind: 'failed', status: 500 })
    expect(service.waits).toEqual([3_000, 3_000])
    expect(service.requests).toHaveLength(2 + 3)
  })

  it('change to the next token before anything waits', async () => {
    const seen: (string | undefined)[] = []
    service.routes.set('/api/x', (request, response) => {
      seen.push(request.headers.authorization)
      if (request.headers.authorization === 'three') json('done')(request, response)
      else status(429, { 'retry-after': '9' })(request, response)
    })
    expect(await open(['one', 'two', 'three']).get('/x', signal)).toBe('done')
    expect([seen, service.waits]).toEqual([['one', 'two', 'three'], []])
  })

  it('are explained, whatever the service sends', async () => {
    const cases: [Parameters<FakeService['routes']['set']>[1], string][] = [
      [(_, response) => void response.end('<html>sign in</html>'), 'the other server did not answer with JSON'],
      [
        (_, response) => void response.end(Buffer.from('{"a":1}', 'utf16le')),
        'the other server did not answer with JSON',
      ],
      [status(401), 'the API of the other server answered with status 401'],
      [status(401, { 'x-gitea-otp': 'required' }), 'the other server wants a one-time password'],
      [
        (_, response) => void response.end(Buffer.alloc(33 * 1024 * 1024, 32)),
        'the answer has more than 33554432 bytes',
      ],
      [json(Array.from({ length: 100_001 }, () => ({}))), 'a page of the other server has more than 100000 items'],
    ]
    for (const [answer, message] of cases) {
      service.routes.set('/api/x', answer)
      await expect(allOf(open().pages('/x', signal))).rejects.toThrow(message)
    }
    service.routes.set('/api/x', (_, response) => void response.end('\uFEFF{"text":"\uD800"}'))
    expect(await open().get('/x', signal)).toEqual({ text: '\uFFFD' })
  })
})

describe('credentials for another service', () => {
  it('are sent only to addresses of that service', async () => {
    const seen: string[] = []
    for (const server of [service, elsewhere])
      server.routes.set('/file', (request, response) => {
        seen.push(`${server === service ? 'own' : 'other'} ${request.headers.authorization}`)
        response.end('bytes')
      })
    service.routes.set('/api/moved', status(302, { location: `${elsewhere.url}/file` }))
    const api = open()
    const read = (url: string): Promise<string> =>
      api.download(url, { signal }, async (bytes) => Buffer.concat(await Array.fromAsync(bytes)).toString())
    expect(await read('/file')).toBe('bytes')
    expect(await read(`${elsewhere.url}/file`)).toBe('bytes')
    expect(await read('/api/moved')).toBe('bytes')
    await expect(api.get('/moved', signal)).rejects.toThrow('did not answer with JSON')
    expect(seen).toEqual(['own one', 'other undefined', 'other undefined', 'other undefined'])
    await expect(read('http://')).rejects.toThrow('the address of a file is malformed')
    await expect(read('file:///etc/passwd')).rejects.toThrow('not an HTTP address: file:')
  })
})
