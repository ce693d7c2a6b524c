import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import type { Repo } from '../../src/subjects/repos/repo.store.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

const TYPE = 'application/vnd.git-lfs+json'

let server: TestServer
let alice: Person
let bob: Person
let secret: Repo
let count = 0

beforeAll(async () => {
  server = await startServer({
    settings: { 'lfs.max_file_size': '1000000', 'lfs.max_batch_size': '5', 'lfs.locks_paging_num': '3' },
  })
  alice = await server.world.user('alice')
  bob = await server.world.user('bob')
  secret = await server.world.repo({ owner: alice, name: 'secret', isPrivate: true })
})
afterAll(() => server.close())

const basic = (person: Person | undefined): Record<string, string> =>
  person ? { authorization: `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}` } : {}

async function call(
  person: Person | undefined,
  method: string,
  path: string,
  ...[body, headers = {}]: [body?: unknown, headers?: Record<string, string>]
) {
  const response = await fetch(`${server.url}/${path}`, {
    method,
    headers: { accept: TYPE, ...(body !== undefined && { 'content-type': TYPE }), ...basic(person), ...headers },
    body:
      body === undefined
        ? null
        : typeof body === 'string' || body instanceof Uint8Array
          ? (body as string)
          : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (response.headers.get('content-type') ?? '').includes('json') ? JSON.parse(text) : undefined,
  }
}

function sample(size = 50): { bytes: Buffer; oid: string; size: number } {
  const bytes = randomBytes(size)
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex'), size }
}

const batch = (person: Person | undefined, repo: string, operation: string, objects: unknown) =>
  call(person, 'POST', `${repo}/info/lfs/objects/batch`, { operation, objects })
const put = (
  person: Person | undefined,
  repo: string,
  { oid, size, bytes }: { oid: string; size: number; bytes: Uint8Array },
) => call(person, 'PUT', `${repo}/info/lfs/objects/${oid}/${size}`, bytes)
const leftovers = () =>
  existsSync(join(server.dataDir, 'blobs', 'lfs', 'tmp'))
    ? readdirSync(join(server.dataDir, 'blobs', 'lfs', 'tmp'))
    : []

describe('who may', () => {
  it('hidden, missing and forbidden repos all ask for a login, alike', async () => {
    for (const [person, path] of [
      [undefined, 'alice/secret.git'],
      [undefined, 'alice/none.git'],
      [bob, 'alice/secret.git'],
      [bob, 'alice/none.git'],
      [bob, 'none/none'],
    ] as const) {
      for (const operation of ['download', 'upload']) {
        const answer = await batch(person, path, operation, [sample()])
        expect([answer.status, answer.text, answer.headers.get('www-authenticate')]).toEqual([
          401,
          '{"Message":"Unauthorized"}',
          'Basic realm="gitea-lfs"',
        ])
      }
      expect((await put(person, path, sample())).status).toBe(401)
      expect((await call(person, 'GET', `${path}/info/lfs/locks`)).status).toBe(401)
    }
    expect((await call(undefined, 'POST', 'alice/secret/info/lfs/objects/batch', 'nonsense')).status).toBe(401)
  })

  it('readers download and do not upload; tokens need their scope; archived repos take nothing', async () => {
    const repo = await server.world.repo({ owner: alice, name: `open${count++}` })
    const path = `alice/${repo.name}.git`
    expect((await batch(bob, path, 'download', [])).json).toEqual({ objects: [] })
    expect((await batch(undefined, path, 'download', [])).status).toBe(200)
    expect((await batch(bob, path, 'upload', [])).status).toBe(401)
    const reading = await alice.token('read:repository')
    const byToken = (operation: string) =>
      call(
        undefined,
        'POST',
        `${path}/info/lfs/objects/batch`,
        { operation, objects: [] },
        { authorization: `token ${reading}` },
      )
    expect([(await byToken('download')).status, (await byToken('upload')).status]).toEqual([200, 403])
    await alice.client.patch(`/repos/alice/${repo.name}`, { archived: true })
    expect((await batch(alice, path, 'upload', [])).status).toBe(403)
    expect((await batch(alice, path, 'download', [])).status).toBe(200)
  })

  it('an object is not to be had by knowing its hash', async () => {
    const object = sample()
    await put(alice, 'alice/secret.git', object)
    const bobs = await server.world.repo({ owner: bob, name: `own${count++}` })
    const path = `bob/${bobs.name}`
    expect((await batch(bob, path, 'download', [object])).json.objects[0].error.code).toBe(404)
    expect((await call(bob, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(404)
    expect((await batch(bob, path, 'upload', [object])).json.objects[0].actions.upload).toBeDefined()
    expect((await call(bob, 'POST', `${path}/info/lfs/verify`, object)).status).toBe(404)
    expect((await put(bob, path, object)).status).toBe(200)
    expect((await call(bob, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(200)
  })

  it('what the uploader can read elsewhere need not be sent again', async () => {
    const object = sample()
    await put(alice, 'alice/secret.git', object)
    const other = await server.world.repo({ owner: alice, name: `other${count++}` })
    const path = `alice/${other.name}.git`
    expect((await batch(alice, path, 'upload', [object])).json.objects[0]).toEqual({
      oid: object.oid,
      size: object.size,
    })
    expect((await call(undefined, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(200)
  })
})

describe('transfers', () => {
  it('upload, verify, batch and download', async () => {
    const path = 'alice/secret.git'
    const object = sample(200_000)
    const { oid, size } = object
    const wanted = (await batch(alice, path, 'upload', [{ oid, size }])).json.objects[0]
    expect(wanted.actions.upload).toEqual({
      href: `${server.url}/${path}/info/lfs/objects/${oid}/${size}`,
      header: { Authorization: basic(alice)['authorization'], 'Transfer-Encoding': 'chunked' },
    })
    expect(wanted.actions.verify.href).toBe(`${server.url}/${path}/info/lfs/verify`)
    expect((await put(alice, path, object)).json).toEqual({ Message: 'OK' })
    expect((await call(alice, 'POST', `${path}/info/lfs/verify`, { oid, size })).status).toBe(200)
    const found = (await batch(alice, path, 'download', [{ oid, size }, sample()])).json.objects
    expect(found[0].actions.download.href).toBe(`${server.url}/${path}/info/lfs/objects/${oid}`)
    expect(found[1].error).toEqual({ code: 404, message: 'Not Found' })
    const whole = await fetch(`${server.url}/${path}/info/lfs/objects/${oid}`, { headers: basic(alice) })
    expect(Buffer.from(await whole.arrayBuffer()).equals(object.bytes)).toBe(true)
    expect(
      ['content-length', 'content-type', 'x-gitea-lfs-content-length'].map((name) => whole.headers.get(name)),
    ).toEqual([String(size), 'application/octet-stream', String(size)])
    const part = await fetch(`${server.url}/${path}/info/lfs/objects/${oid}`, {
      headers: { ...basic(alice), range: 'bytes=100-299' },
    })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${size}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(object.bytes.subarray(100, 300))).toBe(true)
    expect(
      (await call(alice, 'GET', `${path}/info/lfs/objects/${oid}`, undefined, { range: `bytes=${size}-` })).status,
    ).toBe(416)
    const named = await fetch(
      `${server.url}/${path}/info/lfs/objects/${oid}/${Buffer.from('a b.bin').toString('base64url')}`,
      { headers: basic(alice) },
    )
    expect(named.headers.get('content-disposition')).toContain('filename="a b.bin"')
    await named.arrayBuffer()
  })

  it('other bytes than announced are refused and leave nothing', async () => {
    const path = 'alice/secret.git'
    const object = sample()
    const wrong = await put(alice, path, { ...object, bytes: randomBytes(object.size) })
    expect([wrong.status, wrong.json]).toEqual([422, { Message: 'content hash does not match OID' }])
    for (const size of [object.size - 1, object.size + 1]) {
      const answer = await put(alice, path, { ...object, size })
      expect([answer.status, answer.json]).toEqual([422, { Message: 'content size does not match' }])
    }
    expect((await put(alice, path, { ...object, oid: 'x'.repeat(64) })).status).toBe(422)
    expect((await put(alice, path, { ...object, size: 1_000_001 })).json.Message).toBe(
      'Size must be less than or equal to 1000000',
    )
    expect(leftovers()).toEqual([])
    expect((await call(alice, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(404)
  })

  it('the empty object too', async () => {
    const object = sample(0)
    expect((await put(alice, 'alice/secret', object)).status).toBe(200)
    const answer = await call(alice, 'GET', `alice/secret/info/lfs/objects/${object.oid}`)
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it('a batch with bad objects answers the good ones, a bad batch gets its 4xx', async () => {
    const object = sample()
    await put(alice, 'alice/secret', object)
    const answer = await batch(alice, 'alice/secret', 'download', [
      { oid: 'nonsense', size: 3 },
      { oid: object.oid, size: 1 },
      object,
      null,
    ])
    expect(answer.json.objects.map((entry: { error?: { message: string } }) => entry.error?.message)).toEqual([
      'Oid or size are invalid',
      `Object ${object.oid} is not 1 bytes`,
      undefined,
      'Oid or size are invalid',
    ])
    expect(
      (await batch(alice, 'alice/secret', 'upload', [{ ...sample(), size: 2_000_000 }])).json.objects[0].error.code,
    ).toBe(422)
    expect((await batch(alice, 'alice/secret', 'sideways', [])).status).toBe(400)
    expect((await batch(alice, 'alice/secret', 'upload', 'x')).status).toBe(400)
    expect(
      (
        await batch(
          alice,
          'alice/secret',
          'upload',
          Array.from({ length: 6 }, () => sample()),
        )
      ).status,
    ).toBe(413)
    for (const text of ['not json', '[]', '"x"', 'null'])
      expect((await call(alice, 'POST', 'alice/secret/info/lfs/objects/batch', text)).status, text).toBe(400)
    expect(
      (
        await call(
          alice,
          'POST',
          'alice/secret/info/lfs/objects/batch',
          { operation: 'download' },
          { accept: 'application/json' },
        )
      ).status,
    ).toBe(415)
    expect((await call(alice, 'POST', 'alice/secret/info/lfs/verify', 'not json')).status).toBe(422)
  })
})

describe('locks', () => {
  it('are made, listed by pages, told apart and released by their rules', async () => {
    const repo = await server.world.repo({ owner: alice, name: `locks${count++}` })
    await alice.client.put(`/repos/alice/${repo.name}/collaborators/bob`, { permission: 'write' })
    const base = `alice/${repo.name}.git/info/lfs/locks`
    expect((await call(undefined, 'GET', base)).json).toEqual({ message: 'You must have pull access to list locks' })
    const made = await call(alice, 'POST', base, { path: '/a//b.bin' })
    expect([made.status, made.json.lock]).toEqual([
      201,
      {
        id: expect.stringMatching(/^\d+$/),
        path: 'a/b.bin',
        locked_at: expect.stringMatching(/Z$/),
        owner: { name: 'alice' },
      },
    ])
    const again = await call(bob, 'POST', base, { path: 'a/b.bin' })
    expect([again.status, again.json]).toEqual([409, { message: 'already created lock', lock: made.json.lock }])
    for (const name of ['1', '2', '3']) expect((await call(bob, 'POST', base, { path: name })).status).toBe(201)
    for (const body of [{}, { path: '' }, { path: '../x' }, { path: 3 }])
      expect((await call(bob, 'POST', base, body)).status).toBeGreaterThanOrEqual(400)

    const first = (await call(alice, 'GET', base)).json
    expect(first.locks.map((lock: { path: string }) => lock.path)).toEqual(['a/b.bin', '1', '2'])
    const second = (await call(alice, 'GET', `${base}?cursor=${first.next_cursor}`)).json
    expect([second.locks.map((lock: { path: string }) => lock.path), second.next_cursor]).toEqual([['3'], undefined])
    expect((await call(alice, 'GET', `${base}?path=2`)).json.locks).toHaveLength(1)
    expect((await call(alice, 'GET', `${base}?id=${made.json.lock.id}`)).json.locks).toHaveLength(1)
    expect((await call(alice, 'GET', `${base}?id=x`)).status).toBe(400)
    const sides = (await call(alice, 'POST', `${base}/verify`, {})).json
    expect([sides.ours.length, sides.theirs.length]).toEqual([1, 2])

    const unlock = `${base}/${made.json.lock.id}/unlock`
    expect((await call(bob, 'POST', unlock, {})).status).toBe(403)
    expect((await call(bob, 'POST', `${base}/999999/unlock`, {})).status).toBe(404)
    expect((await call(bob, 'POST', unlock, { force: true })).json.lock.path).toBe('a/b.bin')
    expect((await call(alice, 'POST', unlock, {})).status).toBe(404)
  })

  it('are numbered one by one, whatever was refused in between, and asked for by members of any case', async () => {
    const repo = await server.world.repo({ owner: alice, name: `locks${count++}` })
    const base = `alice/${repo.name}.git/info/lfs/locks`
    const first = await call(alice, 'POST', base, { Path: 'a' })
    for (let tries = 0; tries < 3; tries++) expect((await call(alice, 'POST', base, { path: 'a' })).status).toBe(409)
    const second = await call(alice, 'POST', base, { PATH: 'b' })
    expect(Number(second.json.lock.id) - Number(first.json.lock.id)).toBe(1)
    const object = sample()
    const asked = await call(alice, 'POST', `alice/${repo.name}.git/info/lfs/objects/batch`, {
      Operation: 'upload',
      Objects: [{ Oid: object.oid, Size: object.size }],
    })
    expect(asked.json.objects[0].actions.upload.href).toContain(object.oid)
  })
})

describe('the bytes', () => {
  const inStore = async (oid: string) =>
    existsSync(join(server.dataDir, 'blobs', 'lfs', oid.slice(0, 2), oid.slice(2, 4), oid))

  it('go with the last repository that has them, and forks have them too', async () => {
    const repo = await server.world.repo({ owner: alice, name: `gone${count++}`, autoInit: true })
    const [one, two] = [sample(), sample()]
    for (const object of [one, two]) await put(alice, `alice/${repo.name}`, object)
    await put(alice, 'alice/secret', two)
    await bob.client.post(`/repos/alice/${repo.name}/forks`, {})
    expect((await call(bob, 'GET', `bob/${repo.name}/info/lfs/objects/${one.oid}`)).status).toBe(200)
    await alice.client.delete(`/repos/alice/${repo.name}`)
    await server.app.lfsObjects.sweep(new AbortController().signal)
    expect([await inStore(one.oid), await inStore(two.oid)]).toEqual([true, true])
    await bob.client.delete(`/repos/bob/${repo.name}`)
    await server.app.lfsObjects.sweep(new AbortController().signal)
    expect([await inStore(one.oid), await inStore(two.oid)]).toEqual([false, true])
    expect((await call(alice, 'GET', `alice/${secret.name}/info/lfs/objects/${two.oid}`)).status).toBe(200)
  })

  it('stand in for their pointers at media addresses, where the repository has them', async () => {
    const repo = await server.world.repo({ owner: alice, name: `media${count++}`, autoInit: true })
    const object = sample()
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${object.oid}\nsize ${object.size}\n`
    await alice.client.post(`/repos/alice/${repo.name}/contents/a.bin`, {
      content: Buffer.from(pointer).toString('base64'),
      message: 'point',
    })
    const media = async () =>
      Buffer.from(await (await fetch(`${server.url}/api/v1/repos/alice/${repo.name}/media/a.bin`)).arrayBuffer())
    await put(alice, 'alice/secret', object)
    expect((await media()).toString()).toBe(pointer)
    await put(alice, `alice/${repo.name}`, object)
    expect((await media()).equals(object.bytes)).toBe(true)
    expect((await call(undefined, 'GET', `api/v1/repos/alice/${repo.name}/raw/a.bin`)).text).toBe(pointer)
  })

  it('are not served at all where LFS is off', async () => {
    const off = await startServer({ settings: { 'lfs.enabled': 'false' } })
    try {
      const person = await off.world.user('carl')
      await off.world.repo({ owner: person, name: 'r' })
      expect(
        (
          await fetch(`${off.url}/carl/r.git/info/lfs/objects/batch`, {
            method: 'POST',
            headers: { accept: TYPE, ...basic(person) },
            body: '{}',
          })
        ).status,
      ).toBe(404)
    } finally {
      await off.close()
    }
  })
})

describe('files written over the API', () => {
  it.each(['sha1', 'sha256'] as const)(
    'are stored as large files where the attributes of a %s repository say so',
    async (objectFormat) => {
      const repo = { name: `written${count++}` }
      await alice.client.post('/user/repos', { name: repo.name, object_format_name: objectFormat })
      const path = `/repos/alice/${repo.name}`
      const { bytes, oid, size } = sample()
      const attributes = {
        operation: 'create',
        path: '.gitattributes',
        content: Buffer.from('*.bin filter=lfs diff=lfs merge=lfs -text\n').toString('base64'),
      }
      const made = await alice.client.post(`${path}/contents`, {
        branch: 'main',
        files: [
          attributes,
          { operation: 'create', path: 'd/a.bin', content: bytes.toString('base64') },
          { operation: 'create', path: 'a.txt', content: bytes.toString('base64') },
        ],
      })
      expect(made.status, made.text).toBe(201)
      expect(made.json.files[1]).toMatchObject({ lfs_oid: oid, lfs_size: size })
      expect(made.json.files[2].size).toBe(size)
      expect(Buffer.from(await (await fetch(`${server.url}/api/v1${path}/media/d/a.bin`)).arrayBuffer())).toEqual(bytes)
      expect((await call(undefined, 'GET', `alice/${repo.name}.git/info/lfs/objects/${oid}`)).status).toBe(200)

      const second = sample()
      const changed = await alice.client.put(`${path}/contents/d/a.bin`, {
        sha: made.json.files[1].sha,
        content: second.bytes.toString('base64'),
      })
      expect(changed.json.content).toMatchObject({ lfs_oid: second.oid })
      const pointer = changed.json.content.content
      const again = await alice.client.post(`${path}/contents/b.bin`, { content: pointer })
      expect(again.json.content).toMatchObject({ lfs_oid: second.oid, content: pointer })
      expect((await alice.client.post(`${path}/contents/empty.bin`, { content: '' })).json.content.size).toBe(0)
      const big = await alice.client.post(`${path}/contents/big.bin`, {
        content: Buffer.alloc(1_000_001).toString('base64'),
      })
      expect([big.status, big.json.message]).toEqual([422, 'Size must be less than or equal to 1000000'])
      expect((await alice.client.get(`${path}/contents/big.bin`)).status).toBe(404)
    },
  )
})

describe('downloads', () => {
  it('are sent once, whole or in part, also to clients that leave', async () => {
    const lines: string[] = []
    const own = await startServer({ log: createLogger('warn', { write: (line) => void lines.push(line) }) })
    try {
      const ann = await own.world.user('ann')
      const { name } = await own.world.repo({ owner: ann, name: 'r' })
      const { bytes, oid, size } = sample(3_000_000)
      const url = `${own.url}/ann/${name}.git/info/lfs/objects/${oid}`
      expect(
        (await fetch(`${url}/${size}`, { method: 'PUT', body: bytes as unknown as string, headers: basic(ann) }))
          .status,
      ).toBe(200)
      for (const headers of [{}, { range: 'bytes=0-9' }])
        expect((await (await fetch(url, { headers })).arrayBuffer()).byteLength).toBe('range' in headers ? 10 : size)
      const gone = new AbortController()
      const answer = await fetch(url, { signal: gone.signal })
      gone.abort()
      await expect(answer.arrayBuffer()).rejects.toThrow('aborted')
      expect((await fetch(url)).status).toBe(200)
    } finally {
      await own.close()
    }
    expect(lines).toEqual([])
  })
})
