import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHostGuard, createOutgoingClient, type Lookup, type OutgoingClient } from './index.ts'

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let server: Server
let port: number
let seen: Seen[]
let answer: (seen: Seen, response: ServerResponse) => void
let client: OutgoingClient

const connectTo = (allowed: string, lookup: Lookup): OutgoingClient =>
  (client = createOutgoingClient({ guard: createHostGuard(allowed, 'test.hosts', lookup), userAgent: 'ingot-test' }))
const toLoopback: Lookup = async () => ['127.0.0.1']

beforeEach(async () => {
  seen = []
  answer = (_, response) => response.end('hello')
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const entry = { method: request.method!, url: request.url!, headers: request.headers, body }
    seen.push(entry)
    answer(entry, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  await client.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('outgoing client', () => {
  it('connects to the checked address and sends the name', async () => {
    const found = await connectTo('loopback', toLoopback).request(`http://example.org:${port}/a?b=c`, {
      method: 'POST',
      body: 'data',
      headers: { 'x-one': '1' },
    })
    expect(found).toMatchObject({ status: 200, url: `http://example.org:${port}/a?b=c` })
    expect(found.body.toString()).toBe('hello')
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/a?b=c',
      body: 'data',
      headers: { host: `example.org:${port}`, 'user-agent': 'ingot-test', 'x-one': '1' },
    })
  })

  it('does not connect where the rules say no, by name or by address', async () => {
    connectTo('', toLoopback)
    for (const host of ['example.org', '127.0.0.1', '[::1]', '0x7f000001', 'localhost']) {
      await expect(client.request(`http://${host}:${port}/`)).rejects.toMatchObject({ kind: 'refused' })
    }
    expect(seen).toEqual([])
  })

  it('is not fooled by a name that leads elsewhere at the second look', async () => {
    let looks = 0
    connectTo('127.0.0.2', async () => (++looks === 1 ? ['127.0.0.2'] : ['127.0.0.1']))
    await expect(client.request(`http://rebind.test:${port}/`)).rejects.toMatchObject({ kind: 'unreachable' })
    expect(looks).toBe(1)
    await expect(client.request(`http://rebind.test:${port}/`)).rejects.toMatchObject({ kind: 'refused' })
    expect(seen).toEqual([])
  })

  it('checks every redirect again and sends no credentials to another host', async () => {
    answer = ({ headers }, response) => {
      const to = headers.host?.startsWith('first') ? `http://second.test:${port}/next` : undefined
      response.writeHead(to ? 302 : 200, to ? { location: to } : {}).end()
    }
    connectTo('loopback', toLoopback)
    const found = await client.request(`http://first.test:${port}/`, {
      method: 'POST',
      body: 'x',
      headers: { Authorization: 'token secret' },
      maxRedirects: 3,
    })
    expect(found).toMatchObject({ status: 200, url: `http://second.test:${port}/next` })
    expect(seen[1]).toMatchObject({ method: 'GET', body: '', headers: { host: `second.test:${port}` } })
    expect(seen[1]!.headers.authorization).toBeUndefined()
  })

  it('refuses a redirect to where it may not go, and endless ones', async () => {
    answer = (_, response) => response.writeHead(302, { location: `http://169.254.169.254/latest/` }).end()
    connectTo('loopback', toLoopback)
    await expect(client.request(`http://a.test:${port}/`, { maxRedirects: 3 })).rejects.toMatchObject({
      kind: 'refused',
    })
    answer = (_, response) => response.writeHead(302, { location: '/' }).end()
    await expect(client.request(`http://a.test:${port}/`, { maxRedirects: 3 })).rejects.toMatchObject({
      kind: 'redirects',
    })
    answer = (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    await expect(client.request(`http://a.test:${port}/`, { maxRedirects: 3 })).rejects.toMatchObject({
      kind: 'redirects',
    })
    expect((await client.request(`http://a.test:${port}/`)).status).toBe(302)
  })

  it('bounds size and time', async () => {
    connectTo('loopback', toLoopback)
    answer = (_, response) => response.end('x'.repeat(2000))
    await expect(client.request(`http://a.test:${port}/`, { maxBytes: 1000 })).rejects.toMatchObject({
      kind: 'too-large',
    })
    answer = () => {}
    await expect(client.request(`http://a.test:${port}/`, { timeout: 100 })).rejects.toMatchObject({ kind: 'timeout' })
  })

  it('says unreachable when no server listens', async () => {
    connectTo('loopback', toLoopback)
    await expect(client.request('http://a.test:1/')).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('streams a response of any size at the pace of its reader, and cancels the unread rest', async () => {
    const part = Buffer.alloc(256 * 1024, 'x')
    let sent = 0
    let isClosed = false
    answer = (_, response) => {
      response.on('close', () => (isClosed = true))
      const more = (): void => {
        while (!response.destroyed && sent < 400)
          if ((sent++, !response.write(part))) return void response.once('drain', more)
        response.end()
      }
      more()
    }
    connectTo('loopback', toLoopback)
    const first = await client.stream(`http://a.test:${port}/`, { maxBytes: Infinity }, async ({ status, body }) => {
      expect(status).toBe(200)
      for await (const chunk of body) return chunk.length
      return 0
    })
    expect(first).toBeGreaterThan(0)
    await expect.poll(() => isClosed).toBe(true)
    expect(sent).toBeLessThan(400)
    sent = 380
    const read = await client.stream(`http://a.test:${port}/`, { maxBytes: Infinity }, async ({ body }) =>
      (await Array.fromAsync(body)).reduce((sum, chunk) => sum + chunk.length, 0),
    )
    expect(read).toBe(20 * part.length)
  })

  it('distinguishes faults of the other server from those of the reader', async () => {
    connectTo('loopback', toLoopback)
    const url = `http://a.test:${port}/`
    const read = (options: object) =>
      client.stream(url, options, async ({ body }) => Buffer.concat(await Array.fromAsync(body)).length)
    await expect(client.stream(url, {}, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await expect(read({ maxBytes: 3 })).rejects.toMatchObject({ kind: 'too-large' })
    answer = (_, response) => void response.write('half')
    await expect(read({ idle: 100 })).rejects.toMatchObject({ kind: 'timeout' })
    await expect(read({ timeout: 100 })).rejects.toMatchObject({ kind: 'timeout' })
    await expect(read({ signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' })
    answer = (_, response) =>
      void response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy())
    await expect(read({})).rejects.toMatchObject({ kind: 'unreachable' })
  })

  it('streams a body, again after a redirect, with its size or in chunks', async () => {
    answer = ({ url }, response) =>
      void (url === '/old' ? response.writeHead(307, { location: '/new' }).end() : response.end('ok'))
    connectTo('loopback', toLoopback)
    let opened = 0
    const open = async function* (): AsyncGenerator<Buffer> {
      opened++
      yield Buffer.from('one')
      yield Buffer.from('two')
    }
    const put = (path: string, body: object) =>
      client.request(`http://a.test:${port}${path}`, { method: 'PUT', maxRedirects: 1, body: { open, ...body } })
    expect((await put('/old', { size: 6 })).status).toBe(200)
    expect([opened, seen.at(-1)!.body, seen.at(-1)!.headers['content-length']]).toEqual([2, 'onetwo', '6'])
    await put('/new', {})
    expect([seen.at(-1)!.body, seen.at(-1)!.headers['transfer-encoding']]).toEqual(['onetwo', 'chunked'])
    await expect(
      client.request(`http://a.test:${port}/new`, {
        method: 'PUT',
        body: { open: () => Promise.reject(new Error('gone')) },
      }),
    ).rejects.toThrow('gone')
  })
})
