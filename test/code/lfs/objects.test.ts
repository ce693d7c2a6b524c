import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../harness/server.ts'
import { basic, sample, TYPE, useLfsServer } from './fixture.ts'

describe('the bytes', () => {
  const { world, call, put } = useLfsServer()

  const inStore = async (oid: string) =>
    existsSync(join(world.server.dataDir, 'blobs', 'lfs', oid.slice(0, 2), oid.slice(2, 4), oid))

  it('are deleted with the last repository that has them, and are shared with forks', async () => {
    const repo = await world.server.world.repo({ owner: world.alice, name: `gone${world.count++}`, autoInit: true })
    const [one, two] = [sample(), sample()]
    for (const object of [one, two]) await put(world.alice, `alice/${repo.name}`, object)
    await put(world.alice, 'alice/secret', two)
    await world.bob.client.post(`/repos/alice/${repo.name}/forks`, {})
    expect((await call(world.bob, 'GET', `bob/${repo.name}/info/lfs/objects/${one.oid}`)).status).toBe(200)
    await world.alice.client.delete(`/repos/alice/${repo.name}`)
    await world.server.app.lfsObjects.sweep(new AbortController().signal)
    expect([await inStore(one.oid), await inStore(two.oid)]).toEqual([true, true])
    await world.bob.client.delete(`/repos/bob/${repo.name}`)
    await world.server.app.lfsObjects.sweep(new AbortController().signal)
    expect([await inStore(one.oid), await inStore(two.oid)]).toEqual([false, true])
    expect((await call(world.alice, 'GET', `alice/${world.secret.name}/info/lfs/objects/${two.oid}`)).status).toBe(200)
  })

  it('replace their pointers at media URLs if the repository has them', async () => {
    const repo = await world.server.world.repo({ owner: world.alice, name: `media${world.count++}`, autoInit: true })
    const object = sample()
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${object.oid}\nsize ${object.size}\n`
    await world.alice.client.post(`/repos/alice/${repo.name}/contents/a.bin`, {
      content: Buffer.from(pointer).toString('base64'),
      message: 'point',
    })
    const media = async () =>
      Buffer.from(await (await fetch(`${world.server.url}/api/v1/repos/alice/${repo.name}/media/a.bin`)).arrayBuffer())
    await put(world.alice, 'alice/secret', object)
    expect((await media()).toString()).toBe(pointer)
    await put(world.alice, `alice/${repo.name}`, object)
    expect((await media()).equals(object.bytes)).toBe(true)
    expect((await call(undefined, 'GET', `api/v1/repos/alice/${repo.name}/raw/a.bin`)).text).toBe(pointer)
  })

  it('are not served if LFS is disabled', async () => {
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

describe('files written through the API', () => {
  const { world, call } = useLfsServer()

  it.each(['sha1', 'sha256'] as const)(
    'are stored as large files where the attributes of a %s repository say so',
    async (objectFormat) => {
      const repo = { name: `written${world.count++}` }
      await world.alice.client.post('/user/repos', { name: repo.name, object_format_name: objectFormat })
      const path = `/repos/alice/${repo.name}`
      const { bytes, oid, size } = sample()
      const attributes = {
        operation: 'create',
        path: '.gitattributes',
        content: Buffer.from('*.bin filter=lfs diff=lfs merge=lfs -text\n').toString('base64'),
      }
      const made = await world.alice.client.post(`${path}/contents`, {
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
      expect(Buffer.from(await (await fetch(`${world.server.url}/api/v1${path}/media/d/a.bin`)).arrayBuffer())).toEqual(
        bytes,
      )
      expect((await call(undefined, 'GET', `alice/${repo.name}.git/info/lfs/objects/${oid}`)).status).toBe(200)

      const second = sample()
      const changed = await world.alice.client.put(`${path}/contents/d/a.bin`, {
        sha: made.json.files[1].sha,
        content: second.bytes.toString('base64'),
      })
      expect(changed.json.content).toMatchObject({ lfs_oid: second.oid })
      const pointer = changed.json.content.content
      const again = await world.alice.client.post(`${path}/contents/b.bin`, { content: pointer })
      expect(again.json.content).toMatchObject({ lfs_oid: second.oid, content: pointer })
      expect((await world.alice.client.post(`${path}/contents/empty.bin`, { content: '' })).json.content.size).toBe(0)
      const big = await world.alice.client.post(`${path}/contents/big.bin`, {
        content: Buffer.alloc(1_000_001).toString('base64'),
      })
      expect([big.status, big.json.message]).toEqual([422, 'Size must be less than or equal to 1000000'])
      expect((await world.alice.client.get(`${path}/contents/big.bin`)).status).toBe(404)
    },
  )
})
