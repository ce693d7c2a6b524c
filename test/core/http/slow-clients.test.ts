import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { MEASURED } from '../../harness/measured.ts'
import type { Person } from '../../harness/world.ts'

const RECEIVE_TIMEOUT_S = 1
const PATIENCE_MS = 8_000
const MB = 1 << 20

let server: TestServer
let port: number
let token: string
let alice: Person

beforeAll(async () => {
  server = await startServer({ tuning: { http: { receiveTimeoutMs: RECEIVE_TIMEOUT_S * 1000 } } })
  port = Number(new URL(server.url).port)
  alice = await server.world.user('alice')
  token = await alice.token('all')
  await server.world.repo({ owner: alice, name: 'r', autoInit: true })
})
afterAll(() => server.close())

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** All that comes until the server ends the connection; fails when it does not in time. */
async function untilEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  const late = setTimeout(() => socket.destroy(new Error('still open')), PATIENCE_MS)
  const [error] = await new Promise<[Error?]>((resolve) =>
    socket.once('error', (e) => resolve([e])).once('close', () => resolve([])),
  )
  clearTimeout(late)
  if (error?.message === 'still open')
    throw new Error(`the connection was left open after ${JSON.stringify(text.slice(0, 200))}`)
  return text
}

async function send(text: string | Buffer): Promise<string> {
  const socket = await open()
  socket.write(text)
  return untilEnd(socket)
}

/** One byte now and then, until the connection is gone. */
async function trickle(start: string, piece: string): Promise<string> {
  const socket = await open()
  socket.write(start)
  const timer = setInterval(() => socket.write(piece), 50)
  try {
    return await untilEnd(socket)
  } finally {
    clearInterval(timer)
  }
}

/** Answers quickly, at the latest when other work of the machine lets it. */
const isWell = async (): Promise<void> => {
  const answerTime = async (): Promise<number> => {
    const start = performance.now()
    expect((await server.anonymous.get('/repos/alice/r')).status).toBe(200)
    return performance.now() - start
  }
  await expect.poll(answerTime).toBeLessThan(2_000)
}

const head = (line: string, ...headers: string[]): string =>
  `${[line, 'Host: x', `Authorization: token ${token}`, ...headers].join('\r\n')}\r\n\r\n`

describe('clients that trickle', () => {
  it('are disconnected in the headers', async () => {
    expect(await trickle('GET /api/v1/version HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n')).toMatch(/^(HTTP\/1\.1 408 |$)/)
  })

  it('are disconnected in a body that is kept in memory, whatever its limit', async () => {
    expect(
      await trickle(
        head('POST /api/v1/user/repos HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 1000000'),
        ' ',
      ),
    ).toMatch(/^HTTP\/1\.1 408 /)
    await isWell()
  })

  it('are disconnected in an upload or a push only when no byte arrives', async () => {
    const upload = head(
      `PUT /alice/r.git/info/lfs/objects/${'ab'.repeat(32)}/1000000 HTTP/1.1`,
      'Content-Type: application/octet-stream',
      'Content-Length: 1000000',
    )
    const slow = await open()
    slow.write(upload)
    let ended = false
    slow.once('close', () => (ended = true))
    for (let i = 0; i < 25; i++) {
      slow.write('x')
      await wait(100)
    }
    expect(ended).toBe(false)
    await untilEnd(slow)
    await isWell()
  })
})

describe('connections', () => {
  it('that are idle cost little: 2,000 of them delay no other request', async () => {
    const idle: Socket[] = []
    for (let i = 0; i < 20; i++) idle.push(...(await Promise.all(Array.from({ length: 100 }, open))))
    await isWell()
    for (const socket of idle) socket.destroy()
    await isWell()
  })

  it('whose client does not read its answer are not read ahead for', MEASURED, async () => {
    const tag = `v${performance.now()}`
    const release = await alice.client.post('/repos/alice/r/releases', { tag_name: tag })
    const asset = await fetch(`${server.url}/api/v1/repos/alice/r/releases/${release.json.id}/assets?name=big.txt`, {
      method: 'POST',
      headers: { authorization: `token ${token}`, 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(64 * MB, 'x'),
    })
    expect(asset.status).toBe(201)
    const { browser_download_url: url } = (await asset.json()) as { browser_download_url: string }
    const before = process.memoryUsage().rss
    const deaf = await Promise.all(Array.from({ length: 30 }, open))
    for (const socket of deaf) {
      socket.pause()
      socket.write(head(`GET ${new URL(url).pathname} HTTP/1.1`))
    }
    await wait(1_500)
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB)
    await isWell()
    for (const socket of deaf) socket.destroy()
  })
})

describe('requests that are too much', () => {
  it.each([
    [
      '10,000 headers',
      () =>
        `GET /api/v1/version HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 10_000 }, (_, i) => `X-${i}: y\r\n`).join('')}\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'a huge URL',
      () => `GET /api/v1/version?${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      /^HTTP\/1\.1 (414|431) /,
    ],
    [
      'a huge path parameter',
      () => `GET /api/v1/users/${'x'.repeat(8_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      /^HTTP\/1\.1 4\d\d /,
    ],
    ['no HTTP', () => 'nonsense\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'a body that is announced as too large',
      () =>
        head(
          'POST /api/v1/user/repos HTTP/1.1',
          'Content-Type: application/json',
          'Content-Length: 99999999999',
          'Connection: close',
        ),
      /^HTTP\/1\.1 413 /,
    ],
  ])('%s', async (_, text, answer) => {
    expect(await send(text())).toMatch(answer)
    await isWell()
  })

  it('JSON that is deep or wide', async () => {
    const post = (body: string) =>
      fetch(`${server.url}/api/v1/user/repos`, {
        method: 'POST',
        headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
        body,
      })
    for (const body of [
      `${'{"name":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
      `{"name":"a","x":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
      `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join()}}`,
      Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]).toString('latin1'),
    ]) {
      const { status } = await post(body)
      expect([413, 422]).toContain(status)
    }
    await isWell()
  })
})

describe('requests that hide another', () => {
  const hidden = 'GET /api/v1/user HTTP/1.1\r\nHost: x\r\n\r\n'
  it.each([
    ['length and chunks', ['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['two lengths', ['Content-Length: 0', 'Content-Length: 44'], hidden],
    ['an invalid length', ['Content-Length: 0x2'], hidden],
    ['a negative length', ['Content-Length: -1'], hidden],
    ['an unknown coding', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${hidden}`],
    ['a coding with a space before the colon', ['Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`],
    ['a folded header', ['X-A: b\r\n Transfer-Encoding: chunked', 'Content-Length: 0'], hidden],
    ['an invalid chunk size', ['Transfer-Encoding: chunked'], `0x5\r\nhello\r\n0\r\n\r\n${hidden}`],
    ['a bare line feed', ['X-A: b\nTransfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ])('are refused: %s', async (_, headers, rest) => {
    const answer = await send(
      `${head('POST /api/v1/markdown/raw HTTP/1.1', 'Content-Type: text/plain', ...headers)}${rest}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    await isWell()
  })
})
