import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

const KB = 1024
const PATIENCE_MS = 10_000

let server: TestServer
let token: string

beforeAll(async () => {
  // Longer than Node's own limit for a request.
  server = await startServer({ tuning: { http: { receiveTimeoutMs: 600_000 } } })
  const alice = await server.world.user('alice')
  token = await alice.token('all')
  await server.world.repo({ owner: alice, name: 'r', autoInit: true })
})
afterAll(() => server.close())

const pkt = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
const oid = 'a'.repeat(40)
const rest = randomBytes(700 * KB)
const UPLOAD = { 'content-type': 'application/x-git-upload-pack-request' }
const RECEIVE = { 'content-type': 'application/x-git-receive-pack-request' }
const V2 = { 'git-protocol': 'version=2' }
const ZIPPED = { 'content-encoding': 'gzip' }
const JSON_TYPE = { 'content-type': 'application/json' }
const LFS = { 'content-type': 'application/vnd.git-lfs+json', accept: 'application/vnd.git-lfs+json' }
const FORM = { 'content-type': 'multipart/form-data; boundary=b' }

const unknownWant = Buffer.concat([Buffer.from(`${pkt(`want ${oid}\n`)}0000`), rest])
const manyPrefixes = Buffer.from(`${pkt('command=ls-refs')}0001${pkt('ref-prefix refs/heads/zz\n').repeat(24_000)}0000`)
const badCommand = Buffer.concat([
  Buffer.from(`${pkt(`${'0'.repeat(40)} ${oid} refs/heads/..\0report-status`)}0000`),
  rest,
])
const form = (field: string): Buffer =>
  Buffer.concat([
    Buffer.from(`--b\r\ncontent-disposition: form-data; name="${field}"; filename="f.txt"\r\n\r\n`),
    rest,
    Buffer.from('\r\n--b--\r\n'),
  ])

type Row = readonly [
  what: string,
  line: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signed: boolean,
]

const ROWS: readonly Row[] = [
  ['an unknown want', 'POST /alice/r.git/git-upload-pack', UPLOAD, unknownWant, false],
  [
    'a compressed unknown want',
    'POST /alice/r.git/git-upload-pack',
    { ...UPLOAD, ...ZIPPED },
    gzipSync(unknownWant),
    false,
  ],
  [
    'an unknown v2 command',
    'POST /alice/r.git/git-upload-pack',
    { ...UPLOAD, ...V2 },
    Buffer.concat([Buffer.from(pkt('command=x')), rest]),
    false,
  ],
  ['too many prefixes', 'POST /alice/r.git/git-upload-pack', { ...UPLOAD, ...V2 }, manyPrefixes, false],
  [
    'compressed nothing',
    'POST /alice/r.git/git-upload-pack',
    { ...UPLOAD, ...V2, ...ZIPPED },
    gzipSync(Buffer.alloc(300 * KB * KB)),
    false,
  ],
  ['no gzip', 'POST /alice/r.git/git-upload-pack', { ...UPLOAD, ...ZIPPED }, rest, false],
  ['an unknown encoding', 'POST /alice/r.git/git-upload-pack', { ...UPLOAD, 'content-encoding': 'br' }, rest, false],
  ['an anonymous push', 'POST /alice/r.git/git-receive-pack', RECEIVE, rest, false],
  ['a push of a bad name', 'POST /alice/r.git/git-receive-pack', RECEIVE, badCommand, true],
  ['a body that is not a push', 'POST /alice/r.git/git-receive-pack', RECEIVE, rest, true],
  ['a push of a broken compressed body', 'POST /alice/r.git/git-receive-pack', { ...RECEIVE, ...ZIPPED }, rest, true],
  ['git for an unknown repository', 'POST /alice/none.git/git-upload-pack', UPLOAD, unknownWant, false],
  ['an anonymous LFS upload', `PUT /alice/r.git/info/lfs/objects/${'b'.repeat(64)}/716800`, {}, rest, false],
  ['an LFS upload of another hash', `PUT /alice/r.git/info/lfs/objects/${'b'.repeat(64)}/716800`, {}, rest, true],
  ['an LFS upload of another size', `PUT /alice/r.git/info/lfs/objects/${'b'.repeat(64)}/7`, {}, rest, true],
  ['an LFS batch that is no JSON', 'POST /alice/r.git/info/lfs/objects/batch', LFS, rest, true],
  ['an anonymous upload', 'POST /api/v1/repos/alice/r/issues/1/assets', FORM, form('attachment'), false],
  ['an upload to no issue', 'POST /api/v1/repos/alice/r/issues/7/assets', FORM, form('attachment'), true],
  ['an upload in another field', 'POST /api/v1/repos/alice/r/releases/1/assets', FORM, form('other'), true],
  ['an upload that is no form', 'POST /api/v1/repos/alice/r/issues/1/assets', FORM, rest, true],
  ['an upload of another type', 'POST /api/v1/repos/alice/r/issues/1/assets', JSON_TYPE, rest, true],
  ['no JSON', 'POST /api/v1/markdown', JSON_TYPE, rest, false],
  ['no form', 'POST /api/v1/markdown', FORM, rest, false],
  ['text of another type', 'POST /api/v1/markdown/raw', { 'content-type': 'image/png' }, rest, false],
  ['JSON for an anonymous writer', 'POST /api/v1/user/repos', JSON_TYPE, rest, false],
  ['a body with GET', 'GET /api/v1/repos/alice/r', JSON_TYPE, rest, false],
  ['a body with DELETE', 'DELETE /api/v1/repos/alice/none', JSON_TYPE, rest, true],
  ['a body with OPTIONS', 'OPTIONS /api/v1/repos/alice/r', JSON_TYPE, rest, false],
  ['an unknown operation', 'POST /api/v1/none', JSON_TYPE, rest, false],
  ['an unknown method', 'PUT /api/v1/version', JSON_TYPE, rest, false],
  ['an unknown page', 'POST /none/none', JSON_TYPE, rest, false],
  ['a body with a page', 'GET /alice/r', JSON_TYPE, rest, false],
  ['a sign-in', 'POST /user/login', { 'content-type': 'application/x-www-form-urlencoded' }, rest, false],
]

/** What comes back for the request and then for another one on the same connection, until the connection ends. */
async function exchange([, line, headers, body, signed]: Row, chunked: boolean): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const ended = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
  await once(socket, 'connect')
  let text = ''
  const late = setTimeout(() => {
    text += ' STUCK'
    socket.destroy()
  }, PATIENCE_MS)
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  const all = {
    ...headers,
    host: 'x',
    ...(signed ? { authorization: `Basic ${Buffer.from(`alice:${token}`).toString('base64')}` } : {}),
    ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`)
  if (chunked) socket.write(`${body.length.toString(16)}\r\n`)
  socket.write(body)
  if (chunked) socket.write('\r\n0\r\n\r\n')
  socket.write('GET /api/v1/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await ended
  clearTimeout(late)
  return text
}

describe.each([false, true])('a request that is answered before its body is read (chunked: %s)', (chunked) => {
  it.for(ROWS)('leaves its connection usable or ends it: %s', async (row) => {
    const text = await exchange(row, chunked)
    expect(text).not.toContain('STUCK')
    expect(text).toMatch(/^HTTP\/1\.1 \d{3} /)
    if (!/^connection: close/im.test(text)) expect(text).toContain('{"version":')
  })
})
