import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

/** What requests may measure (behaviour/auth-and-access#request-limits). */

const MIB = 1024 * 1024

let server: TestServer
let alice: Person
let token: string
beforeAll(async () => {
  server = await startServer({ tuning: { http: { bodyLimit: 4 * MIB } } })
  alice = await server.world.user('alice')
  token = await alice.token('all')
  await server.world.repo({ owner: alice, name: 'code', autoInit: true })
})
afterAll(() => server.close())

async function send(path: string, body: BodyInit, type = 'application/json', method = 'POST') {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': type, authorization: `token ${token}` },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  const { message } = (await answer.json()) as { message?: string }
  return { status: answer.status, message }
}

/** Sent in chunks, without a length. */
const inChunks = (body: string): ReadableStream => new Blob([body]).stream()

/** A body of exactly so many bytes. */
const sized = (bytes: number, json: string): string => json + ' '.repeat(bytes - json.length)

/** What the server writes to a request that is sent as it is. */
function exchange(request: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(request)
  return text(socket)
}

const refusal = (bytes: number) => ({ status: 413, message: `the request body is larger than ${bytes} bytes` })

describe('bodies', () => {
  it('have at most 1 MiB, announced or in chunks', async () => {
    const settings = (body: BodyInit) => send('/user/settings', body, 'application/json', 'PATCH')
    const largest = sized(MIB, '{"location":"here"}')
    expect((await settings(largest)).status).toBe(200)
    expect((await settings(inChunks(largest))).status).toBe(200)
    for (const bytes of [MIB + 1, 3 * MIB]) {
      expect(await settings(sized(bytes, '{}'))).toEqual(refusal(MIB))
      expect(await settings(inChunks(sized(bytes, '{}')))).toEqual(refusal(MIB))
    }
  })

  it('of operations that carry files have at most what the server is configured for', async () => {
    const create = (name: string, body: BodyInit) => send(`/repos/alice/code/contents/${name}`, body)
    const largest = sized(4 * MIB, JSON.stringify({ content: 'A'.repeat(3 * MIB) }))
    expect((await create('a', largest)).status).toBe(201)
    expect((await create('b', inChunks(largest))).status).toBe(201)
    expect(await create('c', `${largest} `)).toEqual(refusal(4 * MIB))
    expect(await create('c', inChunks(`${largest} `))).toEqual(refusal(4 * MIB))
  })

  it('that are far too large are refused before they are sent', async () => {
    const answer = await exchange(
      `POST /api/v1/user/repos HTTP/1.1\r\nHost: x\r\nAuthorization: token ${token}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n[^]*larger than 1048576 bytes/i)
  })

  it('of forms have at most 1000 fields and, urlencoded, 1 MiB whatever the operation', async () => {
    const form = (count: number): string => Array.from({ length: count }, (_, index) => `f${index}=x`).join('&')
    const type = 'application/x-www-form-urlencoded'
    expect((await send('/user/settings', form(1000), type, 'PATCH')).status).toBe(200)
    const tooMany = { status: 422, message: '[]: form with more than 1000 fields' }
    expect(await send('/user/settings', form(1001), type, 'PATCH')).toEqual(tooMany)
    expect(await send('/user/settings', form(40_000), type, 'PATCH')).toEqual(tooMany)
    const large = `content=${'A'.repeat(MIB)}`
    expect(await send('/repos/alice/code/contents/form', large, type)).toEqual(refusal(MIB))
    const data = new FormData()
    for (let index = 0; index <= 1000; index++) data.append('x', '')
    const multipart = new Response(data)
    const multipartType = multipart.headers.get('content-type')!
    expect(await send('/user/settings', await multipart.text(), multipartType, 'PATCH')).toEqual(tooMany)
  })

  it('that are large are received one at a time of a caller, and 16 wait', async () => {
    const { hostname, port } = new URL(server.url)
    const head = `POST /api/v1/repos/alice/code/contents/w HTTP/1.1\r\nHost: x\r\nAuthorization: token ${token}\r\nContent-Type: application/json\r\n`
    const begin = (): Socket => connect(Number(port), hostname).on('error', () => {})
    const sockets = Array.from({ length: 18 }, begin)
    const answers = sockets.map(async (socket) => {
      socket.write(`${head}Connection: close\r\nContent-Length: ${2 * MIB}\r\n\r\n{`)
      return text(socket).catch(() => '')
    })
    expect(await Promise.race(answers)).toMatch(/^HTTP\/1\.1 429 [^]*too many large requests are being received/)
    // A body of at most 1 MiB does not wait.
    expect((await send('/repos/alice/code/contents/small', '{"content":""}')).status).toBe(201)
    for (const socket of sockets) socket.destroy()
    // Those that wait leave the queue with their connections.
    await expect
      .poll(async () => (await send('/repos/alice/code/contents/after', sized(2 * MIB, '{"content":""}'))).status, {
        timeout: 20_000,
      })
      .toBe(201)
  })

  it('are refused to unauthorized callers before their size is checked', async () => {
    const answer = await fetch(`${server.url}/api/v1/repos/alice/code/contents/x`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: sized(5 * MIB, '{}'),
    })
    expect(answer.status).toBe(401)
  })
})

describe('URLs and headers', () => {
  const get = async (path: string) => {
    const answer = await alice.client.get(path)
    return [answer.status, answer.json?.message]
  }

  it('are as long as the limits say', async () => {
    const query = (length: number): string => `/version?${'x'.repeat(length - '/api/v1/version?'.length)}`
    expect((await get(query(8192)))[0]).toBe(200)
    expect(await get(query(8193))).toEqual([414, 'the URL is longer than 8192 characters'])
    const parameters = (count: number): string => `/version?${Array(count).fill('a=b').join('&')}`
    expect((await get(parameters(200)))[0]).toBe(200)
    expect(await get(parameters(201))).toEqual([422, '[]: the query has more than 200 parameters'])
  })

  it('that are too large for the parser get an error response', async () => {
    const large = await exchange(`GET /api/v1/version HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n[^]*larger than 16384 bytes/)
    expect(await exchange('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*is not valid HTTP/)
  })
})
