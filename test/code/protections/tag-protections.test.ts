import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { MEASURED } from '../../harness/measured.ts'

let server: TestServer
let ann: Person
let bob: Person
const PATH = '/repos/ann/r/tag_protections'

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  await server.world.repo({ owner: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
  await ann.client.put('/repos/ann/r/collaborators/bob', { permission: 'write' })
})
afterAll(() => server.close())

const tag = (who: Person, name: string) => who.client.post('/repos/ann/r/tags', { tag_name: name })

describe('tag protections', () => {
  it('are accessible only to repository administrators', async () => {
    expect((await server.anonymous.get(PATH)).status).toBe(401)
    for (const [method, path] of [
      ['get', ''],
      ['post', ''],
      ['get', '/1'],
      ['patch', '/1'],
      ['delete', '/1'],
    ] as const)
      expect((await bob.client[method](PATH + path)).status, method + path).toBe(403)
  })

  it('reject invalid rules', async () => {
    const users = { whitelist_usernames: ['ann'] }
    expect(await ann.client.post(PATH, { name_pattern: ' ', ...users })).toMatchObject({
      status: 400,
      json: { message: 'name_pattern are empty' },
    })
    expect(await ann.client.post(PATH, { name_pattern: 'v*' })).toMatchObject({
      status: 400,
      json: { message: 'both whitelist_usernames and whitelist_teams are empty' },
    })
    expect((await ann.client.post(PATH, { name_pattern: 'v*', whitelist_usernames: ['nobody'] })).status).toBe(422)
    expect((await ann.client.post(PATH, { name_pattern: '/(/', ...users })).status).toBe(422)
    for (const id of ['0', 'x', '99999999999999999999'])
      expect((await ann.client.get(`${PATH}/${id}`)).status, id).toBe(404)
    expect((await ann.client.get(PATH)).json).toEqual([])
  })

  it('allow a tag that several rules match if one of them allows it', async () => {
    const made = await ann.client.post(PATH, { name_pattern: 'v*', whitelist_usernames: ['ann'] })
    expect(made).toMatchObject({
      status: 201,
      json: { name_pattern: 'v*', whitelist_usernames: ['ann'], whitelist_teams: [] },
    })
    expect((await ann.client.post(PATH, { name_pattern: 'v*', whitelist_usernames: ['ann'] })).json.message).toBe(
      'Tag protection already exist',
    )
    expect(await tag(bob, 'v1')).toMatchObject({
      status: 422,
      json: { message: 'user not allowed to create protected tag' },
    })
    expect((await tag(ann, 'v1')).status).toBe(201)
    expect((await tag(bob, 'free')).status).toBe(201)
    expect((await bob.client.delete('/repos/ann/r/tags/v1')).json.message).toBe(
      'user not allowed to delete protected tag',
    )
    const second = await ann.client.post(PATH, { name_pattern: '/^v\\d+$/', whitelist_usernames: ['bob'] })
    expect((await tag(bob, 'v2')).status).toBe(201)
    expect((await tag(bob, 'vx')).status).toBe(422)
    const edited = await ann.client.patch(`${PATH}/${second.json.id}`, { name_pattern: 'w*' })
    expect(edited.json).toMatchObject({ name_pattern: 'w*', whitelist_usernames: ['bob'] })
    expect((await ann.client.patch(`${PATH}/${second.json.id}`, { name_pattern: 'v*' })).status).toBe(403)
    expect((await tag(bob, 'v3')).status).toBe(422)
    expect(
      (await ann.client.patch(`${PATH}/${second.json.id}`, { whitelist_usernames: [] })).json.whitelist_usernames,
    ).toEqual([])
    expect((await tag(bob, 'w1')).status).toBe(422)
    expect((await ann.client.delete(`${PATH}/${second.json.id}`)).status).toBe(204)
    expect((await ann.client.get(`${PATH}/${second.json.id}`)).status).toBe(404)
    expect((await tag(bob, 'w1')).status).toBe(201)
  })

  let attempts = 0
  it('match expressions with catastrophic backtracking in linear time', MEASURED, async () => {
    await ann.client.post(PATH, { name_pattern: '/^(a+)+$/', whitelist_usernames: ['ann'] })
    const started = performance.now()
    expect((await tag(bob, `${'a'.repeat(200 - attempts++)}b`)).status).toBe(201)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
