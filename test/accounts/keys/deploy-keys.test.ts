import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { newKey } from '../../harness/ssh-keys.ts'
import type { Person } from '../../harness/world.ts'

describe('deploy keys', () => {
  let server: TestServer
  let ann: Person
  let bob: Person
  const KEYS = '/repos/ann/r/keys'

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    await server.world.repo({ owner: ann, name: 'r' })
    await server.world.repo({ owner: ann, name: 's' })
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true })
  })
  afterAll(() => server.close())

  it('are for administrators of the repository', async () => {
    expect((await server.anonymous.get(KEYS)).status).toBe(401)
    expect((await bob.client.get(KEYS)).status).toBe(403)
    expect((await bob.client.post(KEYS, { title: 'x', key: newKey() })).status).toBe(403)
    expect((await bob.client.get('/repos/ann/hidden/keys')).status).toBe(404)
    expect((await (await ann.withToken('read:repository')).post(KEYS, { title: 'x', key: newKey() })).status).toBe(403)
  })

  it('grant access to several repositories, and may push unless read-only', async () => {
    const key = newKey()
    const made = await ann.client.post(KEYS, { title: 'ci', key: `${key} ci@host`, read_only: true })
    expect([made.status, made.json]).toMatchObject([201, { title: 'ci', key: `${key} ci@host`, read_only: true }])
    expect(made.json.repository).toBeUndefined()
    const second = await ann.client.post('/repos/ann/s/keys', { title: 'ci', key })
    expect(second.json).toMatchObject({ key_id: made.json.key_id, read_only: false })
    expect((await ann.client.post(KEYS, { title: 'again', key })).json.message).toBe(
      'This key has already been added to this repository',
    )
    expect((await ann.client.post(KEYS, { title: 'ci', key: newKey() })).json.message).toBe(
      'A key with the same name already exists',
    )
    expect((await ann.client.post(KEYS, { key })).json.message).toBe('[Title]: Required')
    expect((await ann.client.post(KEYS, { title: 'broken', key: 'ssh-ed25519 nonsense' })).status).toBe(422)
    const list = await ann.client.get(`${KEYS}?fingerprint=${encodeURIComponent(made.json.fingerprint)}`)
    expect([list.headers.get('x-total-count'), list.json[0].repository.permissions]).toEqual([
      '1',
      { admin: false, push: false, pull: true },
    ])
    expect((await ann.client.get('/repos/ann/s/keys')).json[0].repository.permissions).toEqual({
      admin: false,
      push: true,
      pull: true,
    })
    expect((await ann.client.get(`${KEYS}?key_id=999`)).json).toEqual([])
    expect((await ann.client.get(`${KEYS}/${second.json.id}`)).status).toBe(404)
  })

  it('are not accepted as user keys, and free the fingerprint when the last is deleted', async () => {
    const key = newKey()
    const own = await bob.client.post('/user/keys', { title: 'mine', key })
    expect((await ann.client.post(KEYS, { title: 'his', key })).json.message).toBe(
      'Key content has been used as non-deploy key',
    )
    expect((await bob.client.delete(`/user/keys/${own.json.id}`)).status).toBe(204)
    const made = await ann.client.post(KEYS, { title: 'his', key })
    expect((await bob.client.post('/user/keys', { title: 'mine', key })).status).toBe(422)
    expect((await ann.client.delete(`${KEYS}/${made.json.id}`)).status).toBe(204)
    expect((await ann.client.delete(`${KEYS}/${made.json.id}`)).status).toBe(204)
    expect((await bob.client.post('/user/keys', { title: 'mine', key })).status).toBe(201)
  })
})

describe('flags', () => {
  it('are for site administrators, when they are enabled', async () => {
    const server = await startServer({ settings: { 'repository.enable_flags': 'true' } })
    const ann = await server.world.user('ann')
    const root = await server.world.admin()
    await server.world.repo({ owner: ann, name: 'r' })
    const FLAGS = '/repos/ann/r/flags'
    expect((await server.anonymous.get(FLAGS)).status).toBe(401)
    expect((await ann.client.get(FLAGS)).status).toBe(403)
    expect((await root.client.put(FLAGS, { flags: ['b', 'a', 'b'] })).status).toBe(204)
    expect((await root.client.get(FLAGS)).json).toEqual(['a', 'b'])
    expect((await root.client.put(FLAGS, { flags: [''] })).status).toBe(422)
    expect((await root.client.put(`${FLAGS}/c`)).status).toBe(204)
    expect((await root.client.get(`${FLAGS}/c`)).status).toBe(204)
    expect((await root.client.delete(`${FLAGS}/a`)).status).toBe(204)
    expect((await root.client.get(`${FLAGS}/a`)).status).toBe(404)
    expect((await root.client.delete(FLAGS)).status).toBe(204)
    expect((await root.client.get(FLAGS)).json).toEqual([])
    await server.close()
    const plain = await startServer()
    const admin = await plain.world.admin()
    await plain.world.repo({ owner: admin, name: 'r' })
    expect((await admin.client.get('/repos/root/r/flags')).status).toBe(404)
    await plain.close()
  })
})
