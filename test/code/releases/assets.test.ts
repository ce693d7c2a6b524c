import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { codeRepo, SMALL, type CodeRepo } from '../code-world.ts'

let server: TestServer
let ann: Person
let bob: Person
let code: CodeRepo
let release: { id: number }

/** Each describe block has its own server, users and release. */
function useWorld(): void {
  beforeAll(async () => {
    server = await startServer({
      settings: { 'release.file_max_size': '1', 'release.allowed_types': '.txt,.bin,image/*' },
    })
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    code = await codeRepo(server, ann, { name: 'code', history: SMALL })
    release = (await ann.client.post(`${code.path}/releases`, { tag_name: 'r/1' })).json
  })
  afterAll(() => server.close())
}

const basic = (person: Person) => ({
  authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}`,
})
const assets = (id = release.id) => `${server.url}/api/v1${code.path}/releases/${id}/assets`
const store = () => join(server.dataDir, 'blobs/attachments')
const stored = () =>
  (existsSync(store())
    ? readdirSync(store(), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : []
  ).length

async function upload(
  name: string,
  body: Uint8Array | string,
  options: { person?: Person; id?: number; type?: string } = {},
) {
  const { person = ann, id, type = 'application/octet-stream' } = options
  return fetch(`${assets(id)}?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: body as string,
    headers: { ...basic(person), 'content-type': type },
  })
}

function form(fields: Record<string, string | File>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}
const send = (body: FormData, query = '') => fetch(assets() + query, { method: 'POST', body, headers: basic(ann) })

describe('files of releases', () => {
  useWorld()

  it('are uploaded by writers of releases only', async () => {
    const before = stored()
    expect((await fetch(`${assets()}?name=a.txt`, { method: 'POST', body: 'x' })).status).toBe(401)
    expect((await upload('a.txt', 'x', { person: bob })).status).toBe(403)
    expect(stored()).toBe(before)
  })

  it('are uploaded as form and raw, and downloaded whole, in ranges and conditionally', async () => {
    const bytes = randomBytes(200_000)
    const made = (await (await upload('tool.bin', bytes)).json()) as {
      id: number
      uuid: string
      size: number
      browser_download_url: string
    }
    expect(made).toMatchObject({
      size: 200_000,
      type: 'attachment',
      browser_download_url: `${server.url}/attachments/${made.uuid}`,
    })
    const named = await send(form({ attachment: new File(['hi'], '../../etc/notes.txt') }))
    expect([named.status, ((await named.json()) as { name: string }).name]).toEqual([201, 'notes.txt'])
    const listed = (await server.anonymous.get(`${code.path}/releases/${release.id}`)).json.assets
    expect(listed.map((asset: { browser_download_url: string }) => asset.browser_download_url)).toEqual([
      `${server.url}/ann/code/releases/download/r/1/notes.txt`,
      `${server.url}/ann/code/releases/download/r/1/tool.bin`,
    ])
    for (const url of [
      listed[1].browser_download_url,
      made.browser_download_url,
      `${server.url}/ann/code/attachments/${made.uuid}`,
      `${server.url}/ann/code/releases/download/latest/tool.bin`,
    ]) {
      const got = await fetch(url)
      expect(Buffer.from(await got.arrayBuffer()).equals(bytes), url).toBe(true)
      expect([
        got.headers.get('etag'),
        got.headers.get('content-length'),
        got.headers.get('content-security-policy')?.includes('sandbox'),
      ]).toEqual([`"${made.uuid}"`, '200000', true])
    }
    const part = await fetch(made.browser_download_url, { headers: { range: 'bytes=100-199' } })
    expect([
      part.status,
      part.headers.get('content-range'),
      Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200)),
    ]).toEqual([206, 'bytes 100-199/200000', true])
    expect((await fetch(made.browser_download_url, { headers: { range: 'bytes=200000-' } })).status).toBe(416)
    expect((await fetch(made.browser_download_url, { headers: { 'if-none-match': `"${made.uuid}"` } })).status).toBe(
      304,
    )
    const head = await fetch(made.browser_download_url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '200000'])
    expect(
      (await server.anonymous.get(`${code.path}/releases/${release.id}/assets/${made.id}`)).json.download_count,
    ).toBe(4)
  })

  it('refuse names, types and sizes that are not allowed, and leave nothing', async () => {
    const before = stored()
    for (const name of ['../x.txt', 'a/b.txt', 'a\\b.txt', '..', '.', 'x\n.txt', `${'y'.repeat(300)}.txt`])
      expect((await upload(name, 'x')).status, name).toBe(400)
    expect(
      (await fetch(assets(), { method: 'POST', body: 'x', headers: { ...basic(ann), 'content-type': 'text/plain' } }))
        .status,
    ).toBe(400)
    for (const [type, body] of [
      ['boundary=b', 'x'],
      ['boundary=', 'x'],
      [`boundary=${'b'.repeat(300)}`, 'x'],
      ['boundary=b', '--b\r\nContent-Disposition: form-data; name="attachment"; filename="cut"\r\n\r\nx'],
    ] as const)
      expect(
        (
          await fetch(assets(), {
            method: 'POST',
            body,
            headers: { ...basic(ann), 'content-type': `multipart/form-data; ${type}` },
          })
        ).status,
        type,
      ).toBe(400)
    expect((await upload('x.exe', 'MZ')).status).toBe(400)
    expect((await upload('dot', 'x')).status).toBe(400)
    expect((await upload('picture', Buffer.from('89504e470d0a1a0a0000', 'hex'))).status).toBe(201)
    expect((await upload('big.bin', randomBytes(1024 * 1024 + 1))).status).toBe(413)
    expect((await upload('bigger.bin', randomBytes(3 * 1024 * 1024))).status).toBe(413)
    expect((await send(form({ other: new File(['x'], 'x.txt') }))).status).toBe(400)
    expect((await send(form({ attachment: 'text' }))).status).toBe(400)
    expect(stored()).toBe(before + 1)
  })

  it('return a response when refused before the body is read', async () => {
    const head = {
      method: 'POST',
      headers: { ...basic(ann), 'content-type': 'application/octet-stream', 'content-length': '1000' },
    }
    const refused = httpRequest(assets(), head)
    const answer = new Promise<IncomingMessage>((resolve, reject) =>
      refused.once('response', resolve).once('error', reject),
    )
    refused.write(Buffer.alloc(10))
    const { statusCode, headers } = await answer
    expect([statusCode, headers.connection]).toEqual([400, 'keep-alive'])
    await new Promise<void>((resolve, reject) => refused.end(Buffer.alloc(990), resolve).once('error', reject))
  })

  it('may be links to another server', async () => {
    const made = (await (await send(form({ external_url: 'https://example.test/f.txt' }), '?name=f.txt')).json()) as {
      id: number
      uuid: string
    }
    expect(made).toMatchObject({ type: 'external', size: 0, browser_download_url: 'https://example.test/f.txt' })
    expect(
      (await fetch(`${server.url}/attachments/${made.uuid}`, { redirect: 'manual' })).headers.get('location'),
    ).toBe('https://example.test/f.txt')
    expect((await send(form({ external_url: 'javascript:alert(1)' }), '?name=f.txt')).status).toBe(400)
    expect(
      (await send(form({ external_url: 'https://example.test/f', attachment: new File(['x'], 'x.txt') }))).status,
    ).toBe(400)
    const before = stored()
    expect(
      (await send(form({ attachment: new File(['first'], 'x.txt'), external_url: 'https://example.test/f' }))).status,
    ).toBe(400)
    expect(
      (
        await send(
          form({
            attachment: new File(['first'], 'x.txt'),
            other: new File(['y'], 'y.txt'),
            more: 'z',
            external_url: '',
          }),
          '?name=first.txt',
        )
      ).status,
    ).toBe(201)
    expect(stored()).toBe(before + 1)
    const both = await send(
      form({ attachment: new File(['x'], 'x.txt') }),
      '?name=f.txt&external_url=https://example.test/f',
    )
    expect([both.status, ((await both.json()) as { message: string }).message]).toEqual([
      400,
      "'attachment' and 'external_url' are mutually exclusive",
    ])
    const named = await send(form({ other: 'x' }), '?name=g.txt&external_url=https://example.test/g')
    const { id } = (await named.json()) as { id: number }
    expect([
      named.status,
      (await ann.client.delete(`${code.path}/releases/${release.id}/assets/${id}`)).status,
    ]).toEqual([201, 204])
    const path = `${code.path}/releases/${release.id}/assets/${made.id}`
    expect((await ann.client.patch(path, { browser_download_url: 'ftp://x' })).status).toBe(400)
    expect(
      (await ann.client.patch(path, { browser_download_url: 'https://example.test/g' })).json.browser_download_url,
    ).toBe('https://example.test/g')
    await ann.client.delete(path)
  })

  it('are renamed and deleted with their bytes', async () => {
    const made = (await (await upload('once.txt', 'only here')).json()) as { id: number; uuid: string }
    const twin = (await (await upload('twin.txt', 'only here')).json()) as { id: number; uuid: string }
    const path = `${code.path}/releases/${release.id}/assets`
    expect((await ann.client.patch(`${path}/${made.id}`, { name: 'x.exe' })).status).toBe(422)
    expect((await ann.client.patch(`${path}/${made.id}`, { name: '../x.txt' })).status).toBe(422)
    expect((await ann.client.patch(`${path}/${made.id}`, { browser_download_url: 'https://x.test' })).status).toBe(400)
    expect((await ann.client.patch(`${path}/${made.id}`, { name: 'twin.txt' })).status).toBe(201)
    const list = (await server.anonymous.get(path)).json as { browser_download_url: string }[]
    expect(list.every((asset) => asset.browser_download_url.includes('/attachments/'))).toBe(true)
    const other = (await ann.client.post(`${code.path}/releases`, { tag_name: 'other' })).json
    expect((await ann.client.get(`${code.path}/releases/${other.id}/assets/${made.id}`)).status).toBe(404)
    const before = stored()
    expect((await bob.client.delete(`${path}/${made.id}`)).status).toBe(403)
    expect((await ann.client.delete(`${path}/${made.id}`)).status).toBe(204)
    await server.drain()
    expect([stored(), (await fetch(`${server.url}/attachments/${twin.uuid}`)).status]).toEqual([before, 200])
    expect((await ann.client.delete(`${path}/${twin.id}`)).status).toBe(204)
    await server.drain()
    expect(stored()).toBe(before - 1)
  })

  it('of drafts and private repositories are hidden with them', async () => {
    const draft = (await ann.client.post(`${code.path}/releases`, { tag_name: 'draft', draft: true })).json
    const made = (await (await upload('d.txt', 'draft', { id: draft.id })).json()) as { uuid: string }
    const urls = [`/attachments/${made.uuid}`, '/ann/code/releases/download/draft/d.txt']
    for (const url of urls) {
      expect((await fetch(server.url + url)).status).toBe(404)
      expect((await fetch(server.url + url, { headers: basic(bob) })).status).toBe(404)
      expect((await fetch(server.url + url, { headers: basic(ann) })).status).toBe(200)
    }
    await ann.client.patch(`${code.path}/releases/${draft.id}`, { draft: false })
    for (const url of urls) expect((await fetch(server.url + url)).status).toBe(200)
    await ann.client.patch(code.path, { private: true })
    for (const url of urls) expect((await fetch(server.url + url, { headers: basic(bob) })).status).toBe(404)
    await ann.client.patch(code.path, { private: false })
  })

  it('leave nothing of an aborted upload, raw or as form', async () => {
    const before = stored()
    const countFiles = async () => (await rows(server, 'attachment')).length
    const count = await countFiles()
    const boundary = 'cut'
    const starts: [string, string, Buffer][] = [
      ['?name=half.bin', 'application/octet-stream', randomBytes(100_000)],
      [
        '',
        `multipart/form-data; boundary=${boundary}`,
        Buffer.concat([
          Buffer.from(
            `--${boundary}\r\nContent-Disposition: form-data; name="attachment"; filename="half.bin"\r\n\r\n`,
          ),
          randomBytes(100_000),
        ]),
      ],
    ]
    for (const [query, type, bytes] of starts) {
      const half = httpRequest(assets() + query, {
        method: 'POST',
        headers: { ...basic(ann), 'content-type': type, 'content-length': '900000' },
      })
      half.on('error', () => {})
      half.write(bytes)
      await until(() => readdirSync(join(store(), 'tmp')).some((name) => statSync(join(store(), 'tmp', name)).size > 0))
      half.destroy()
      await until(() => readdirSync(join(store(), 'tmp')).length === 0)
    }
    expect([stored(), await countFiles()]).toEqual([before, count])
  })

  it('are deleted with their release and with the repository', async () => {
    await upload('last.txt', 'last one')
    expect((await ann.client.delete(`${code.path}/releases/${release.id}`)).status).toBe(204)
    await server.drain()
    expect(stored()).toBe(1)
    await ann.client.delete(code.path)
    await server.drain()
    expect(stored()).toBe(0)
  })
})

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
