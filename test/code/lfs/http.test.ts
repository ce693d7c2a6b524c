import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { startServer } from '../../harness/server.ts'
import { basic, sample, useLfsServer } from './fixture.ts'

describe('access to large files', () => {
  const { world, call, batch, put } = useLfsServer()

  it('hidden, missing and forbidden repos return the same 401', async () => {
    for (const [person, path] of [
      [undefined, 'alice/secret.git'],
      [undefined, 'alice/none.git'],
      [world.bob, 'alice/secret.git'],
      [world.bob, 'alice/none.git'],
      [world.bob, 'none/none'],
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

  it('readers can download but not upload; tokens need their scope; archived repos reject uploads', async () => {
    const repo = await world.server.world.repo({ owner: world.alice, name: `open${world.count++}` })
    const path = `alice/${repo.name}.git`
    expect((await batch(world.bob, path, 'download', [])).json).toEqual({ objects: [] })
    expect((await batch(undefined, path, 'download', [])).status).toBe(200)
    expect((await batch(world.bob, path, 'upload', [])).status).toBe(401)
    const reading = await world.alice.token('read:repository')
    const byToken = (operation: string) =>
      call(
        undefined,
        'POST',
        `${path}/info/lfs/objects/batch`,
        { operation, objects: [] },
        { authorization: `token ${reading}` },
      )
    expect([(await byToken('download')).status, (await byToken('upload')).status]).toEqual([200, 403])
    await world.alice.client.patch(`/repos/alice/${repo.name}`, { archived: true })
    expect((await batch(world.alice, path, 'upload', [])).status).toBe(403)
    expect((await batch(world.alice, path, 'download', [])).status).toBe(200)
  })

  it('a hash without a link to the repository does not give access to an object', async () => {
    const object = sample()
    await put(world.alice, 'alice/secret.git', object)
    const bobs = await world.server.world.repo({ owner: world.bob, name: `own${world.count++}` })
    const path = `bob/${bobs.name}`
    expect((await batch(world.bob, path, 'download', [object])).json.objects[0].error.code).toBe(404)
    expect((await call(world.bob, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(404)
    expect((await batch(world.bob, path, 'upload', [object])).json.objects[0].actions.upload).toBeDefined()
    expect((await call(world.bob, 'POST', `${path}/info/lfs/verify`, object)).status).toBe(404)
    expect((await put(world.bob, path, object)).status).toBe(200)
    expect((await call(world.bob, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(200)
  })

  it('objects that the uploader can read elsewhere need not be uploaded', async () => {
    const object = sample()
    await put(world.alice, 'alice/secret.git', object)
    const other = await world.server.world.repo({ owner: world.alice, name: `other${world.count++}` })
    const path = `alice/${other.name}.git`
    expect((await batch(world.alice, path, 'upload', [object])).json.objects[0]).toEqual({
      oid: object.oid,
      size: object.size,
    })
    expect((await call(undefined, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(200)
  })
})

describe('transfers', () => {
  const { world, call, batch, put, leftovers } = useLfsServer()

  it('upload, verify, batch and download', async () => {
    const path = 'alice/secret.git'
    const object = sample(200_000)
    const { oid, size } = object
    const wanted = (await batch(world.alice, path, 'upload', [{ oid, size }])).json.objects[0]
    expect(wanted.actions.upload).toEqual({
      href: `${world.server.url}/${path}/info/lfs/objects/${oid}/${size}`,
      header: { Authorization: basic(world.alice)['authorization'], 'Transfer-Encoding': 'chunked' },
    })
    expect(wanted.actions.verify.href).toBe(`${world.server.url}/${path}/info/lfs/verify`)
    expect((await put(world.alice, path, object)).json).toEqual({ Message: 'OK' })
    expect((await call(world.alice, 'POST', `${path}/info/lfs/verify`, { oid, size })).status).toBe(200)
    const found = (await batch(world.alice, path, 'download', [{ oid, size }, sample()])).json.objects
    expect(found[0].actions.download.href).toBe(`${world.server.url}/${path}/info/lfs/objects/${oid}`)
    expect(found[1].error).toEqual({ code: 404, message: 'Not Found' })
    const whole = await fetch(`${world.server.url}/${path}/info/lfs/objects/${oid}`, { headers: basic(world.alice) })
    expect(Buffer.from(await whole.arrayBuffer()).equals(object.bytes)).toBe(true)
    expect(
      ['content-length', 'content-type', 'x-gitea-lfs-content-length'].map((name) => whole.headers.get(name)),
    ).toEqual([String(size), 'application/octet-stream', String(size)])
    const part = await fetch(`${world.server.url}/${path}/info/lfs/objects/${oid}`, {
      headers: { ...basic(world.alice), range: 'bytes=100-299' },
    })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${size}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(object.bytes.subarray(100, 300))).toBe(true)
    expect(
      (await call(world.alice, 'GET', `${path}/info/lfs/objects/${oid}`, undefined, { range: `bytes=${size}-` }))
        .status,
    ).toBe(416)
    const named = await fetch(
      `${world.server.url}/${path}/info/lfs/objects/${oid}/${Buffer.from('a b.bin').toString('base64url')}`,
      { headers: basic(world.alice) },
    )
    expect(named.headers.get('content-disposition')).toContain('filename="a b.bin"')
    await named.arrayBuffer()
  })

  it('bytes that differ from the announced object are rejected and not stored', async () => {
    const path = 'alice/secret.git'
    const object = sample()
    const wrong = await put(world.alice, path, { ...object, bytes: randomBytes(object.size) })
    expect([wrong.status, wrong.json]).toEqual([422, { Message: 'content hash does not match OID' }])
    for (const size of [object.size - 1, object.size + 1]) {
      const answer = await put(world.alice, path, { ...object, size })
      expect([answer.status, answer.json]).toEqual([422, { Message: 'content size does not match' }])
    }
    expect((await put(world.alice, path, { ...object, oid: 'x'.repeat(64) })).status).toBe(422)
    expect((await put(world.alice, path, { ...object, size: 1_000_001 })).json.Message).toBe(
      'Size must be less than or equal to 1000000',
    )
    expect(leftovers()).toEqual([])
    expect((await call(world.alice, 'GET', `${path}/info/lfs/objects/${object.oid}`)).status).toBe(404)
  })

  it('upload and download the empty object', async () => {
    const object = sample(0)
    expect((await put(world.alice, 'alice/secret', object)).status).toBe(200)
    const answer = await call(world.alice, 'GET', `alice/secret/info/lfs/objects/${object.oid}`)
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  it('a batch with invalid objects returns the valid ones, an invalid batch is 4xx', async () => {
    const object = sample()
    await put(world.alice, 'alice/secret', object)
    const answer = await batch(world.alice, 'alice/secret', 'download', [
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
      (await batch(world.alice, 'alice/secret', 'upload', [{ ...sample(), size: 2_000_000 }])).json.objects[0].error
        .code,
    ).toBe(422)
    expect((await batch(world.alice, 'alice/secret', 'sideways', [])).status).toBe(400)
    expect((await batch(world.alice, 'alice/secret', 'upload', 'x')).status).toBe(400)
    expect(
      (
        await batch(
          world.alice,
          'alice/secret',
          'upload',
          Array.from({ length: 6 }, () => sample()),
        )
      ).status,
    ).toBe(413)
    for (const text of ['not json', '[]', '"x"', 'null'])
      expect((await call(world.alice, 'POST', 'alice/secret/info/lfs/objects/batch', text)).status, text).toBe(400)
    expect(
      (
        await call(
          world.alice,
          'POST',
          'alice/secret/info/lfs/objects/batch',
          { operation: 'download' },
          { accept: 'application/json' },
        )
      ).status,
    ).toBe(415)
    expect((await call(world.alice, 'POST', 'alice/secret/info/lfs/verify', 'not json')).status).toBe(422)
  })
})

describe('downloads', () => {
  it('are sent once, as a whole or in part, also if the client disconnects', async () => {
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
