import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { newKey } from '../../harness/ssh-keys.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person
let root: Person

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  root = await server.world.admin()
})
afterAll(() => server.close())

describe('ssh keys', () => {
  it('needs a signed-in user', async () => {
    expect((await server.anonymous.get('/user/keys')).status).toBe(401)
    expect((await server.anonymous.get('/users/ann/keys')).status).toBe(401)
    expect((await server.anonymous.post('/user/keys', { title: 'x', key: newKey() })).status).toBe(401)
    expect((await bob.client.post('/admin/users/ann/keys', { title: 'x', key: newKey() })).status).toBe(403)
  })

  it('adds, lists, finds by fingerprint and deletes', async () => {
    const key = newKey()
    const made = await ann.client.post('/user/keys', { title: 'laptop', key: `${key} ann at laptop`, read_only: true })
    expect([made.status, made.json.key, made.json.key_type, made.json.user.login]).toEqual([
      201,
      `${key} ann at laptop`,
      'user',
      'ann',
    ])
    const { id, fingerprint } = made.json
    expect((await ann.client.get('/user/keys')).json).toHaveLength(1)
    const seen = await bob.client.get(`/user/keys/${id}`)
    expect([seen.status, seen.json.user, seen.json.key_type]).toEqual([200, undefined, undefined])
    expect((await bob.client.get(`/user/keys?fingerprint=${encodeURIComponent(fingerprint)}`)).json).toHaveLength(1)
    expect((await bob.client.get(`/users/bob/keys?fingerprint=${encodeURIComponent(fingerprint)}`)).json).toEqual([])
    expect((await bob.client.delete(`/user/keys/${id}`)).json.message).toBe('You do not have access to this key')
    expect((await ann.client.delete(`/user/keys/${id}`)).status).toBe(204)
    expect((await ann.client.delete(`/user/keys/${id}`)).status).toBe(404)
    expect((await bob.client.post('/user/keys', { title: 'now mine', key })).status).toBe(201)
  })

  it('lets site administrators delete any key', async () => {
    const { json } = await ann.client.post('/user/keys', { title: 'lost', key: newKey() })
    const root = await server.world.admin('keeper')
    expect((await root.client.delete(`/user/keys/${json.id}`)).status).toBe(204)
    expect((await ann.client.get(`/user/keys/${json.id}`)).status).toBe(404)
    expect((await root.client.delete(`/user/keys/${json.id}`)).status).toBe(404)
  })

  it('refuses a key in use, a title in use and a malformed key', async () => {
    const key = newKey()
    await ann.client.post('/user/keys', { title: 'desk', key })
    const refusals = [
      { title: 'again', key: `${key} other comment` },
      { title: 'desk', key: newKey() },
      { title: '', key: newKey() },
      { title: 'x' },
      { title: 'x', key: 'junk' },
      { title: 'x', key: newKey().replace('ssh-ed25519', 'ssh-rsa') },
    ]
    const answers = await Promise.all(refusals.map((body) => ann.client.post('/user/keys', body)))
    expect(answers.map((answer) => [answer.status, answer.json.message])).toEqual([
      [422, 'Key content has been used as non-deploy key'],
      [422, 'Key title has been used'],
      [422, '[Title]: Required'],
      [422, '[Key]: Required'],
      [422, 'Invalid key content: not a public key'],
      [422, 'Invalid key content: key type and content does not match: ssh-rsa - ssh-ed25519'],
    ])
    expect((await bob.client.post('/user/keys', { title: 'stolen', key })).status).toBe(422)
  })

  it('allows administrators to add and delete keys of a user', async () => {
    const made = await root.client.post('/admin/users/ann/keys', { title: 'by root', key: newKey() })
    expect(made.status).toBe(201)
    expect((await root.client.delete(`/admin/users/bob/keys/${made.json.id}`)).status).toBe(403)
    expect((await root.client.delete('/admin/users/ann/keys/999999')).status).toBe(404)
    expect((await root.client.delete(`/admin/users/ann/keys/${made.json.id}`)).status).toBe(204)
    const other = await root.client.post('/admin/users/ann/keys', { title: 'by root again', key: newKey() })
    const boss = await server.world.admin('boss')
    expect((await root.client.delete(`/admin/users/${boss.name}/keys/${other.json.id}`)).status).toBe(204)
    expect((await ann.client.get(`/user/keys/${other.json.id}`)).status).toBe(404)
  })

  it('frees the keys of a deleted user', async () => {
    const eve = await server.world.user('eve')
    const key = newKey()
    await eve.client.post('/user/keys', { title: 'k', key })
    expect((await root.client.delete('/admin/users/eve?purge=true')).status).toBe(204)
    expect((await bob.client.post('/user/keys', { title: 'of eve', key })).status).toBe(201)
  })
})
