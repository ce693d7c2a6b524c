import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Organization, Person } from '../harness/world.ts'

describe('transfers of repositories', () => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let eve: Person
  let firm: Organization

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    eve = await server.world.user('eve')
    firm = await server.world.org('firm', { owner: bob })
  })
  afterAll(() => server.close())

  const start = (path: string, body: object, by: Person = ann) => by.client.post(`/repos/${path}/transfer`, body)

  it('are allowed to the owner, to an existing account without a repository of that name', async () => {
    await server.world.repo({ owner: ann, name: 'secret', isPrivate: true })
    await server.world.repo({ owner: ann, name: 'one' })
    await server.world.repo({ owner: bob, name: 'one' })
    expect((await server.anonymous.post('/repos/ann/one/transfer', { new_owner: 'bob' })).status).toBe(401)
    expect((await start('ann/secret', { new_owner: 'eve' }, eve)).status).toBe(404)
    expect((await start('ann/one', { new_owner: 'eve' }, eve)).json.message).toBe(
      'user should be the owner of the repo',
    )
    expect((await start('ann/one', {})).json.message).toBe('[NewOwner]: Required')
    expect((await start('ann/one', { new_owner: '' })).status).toBe(404)
    expect((await start('ann/one', { new_owner: 'nobody' })).headers.get('x-ingot-message')).toBe(
      'The new owner does not exist or cannot be found',
    )
    expect((await start('ann/one', { new_owner: 'bob' })).json.message).toBe(
      'repository already exists [uname: bob, name: one]',
    )
    expect((await start('ann/one', { new_owner: 'ann' })).status).toBe(422)
    expect((await start('ann/one', { new_owner: 'eve', team_ids: [1] })).json.message).toBe(
      'Teams can only be added to organization-owned repositories',
    )
    expect((await start('ann/one', { new_owner: 'firm', team_ids: [9999] })).json.message).toBe('team 9999 not found')
    await server.world.org('hidden', { visibility: 'private' })
    expect((await start('ann/one', { new_owner: 'hidden' })).status).toBe(404)
  })

  it('wait for the recipient, who may read the repository during the wait and afterwards', async () => {
    const pending = await start('ann/secret', { new_owner: 'eve' })
    expect([pending.status, pending.json.repo_transfer]).toMatchObject([
      201,
      { doer: { login: 'ann' }, recipient: { login: 'eve' }, teams: [] },
    ])
    expect((await start('ann/secret', { new_owner: 'bob' })).status).toBe(409)
    expect((await bob.client.post('/repos/ann/secret/transfer/accept')).status).toBe(404)
    expect((await ann.client.post('/repos/ann/secret/transfer/accept')).json.message).toBe('permission denied')
    expect((await eve.client.get('/repos/ann/secret')).json.permissions).toEqual({
      admin: false,
      push: false,
      pull: true,
    })
    const rejected = await eve.client.post('/repos/ann/secret/transfer/reject')
    expect([rejected.status, rejected.json.repo_transfer]).toEqual([200, null])
    expect((await eve.client.post('/repos/ann/secret/transfer/reject')).status).toBe(404)
    expect((await start('ann/secret', { new_owner: 'eve' })).status).toBe(201)
    const taken = await eve.client.post('/repos/ann/secret/transfer/accept')
    expect([taken.status, taken.json.full_name, taken.json.permissions.admin]).toEqual([202, 'eve/secret', false])
    expect((await eve.client.get('/repos/eve/secret')).json).toMatchObject({
      permissions: { admin: true },
      repo_transfer: null,
    })
    expect((await eve.client.get('/repos/eve/secret/collaborators')).json).toEqual([])
    const moved = await eve.client.get('/repos/ann/secret')
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/api/v1/repos/eve/secret'])
    expect((await ann.client.get('/repos/ann/secret')).status).toBe(404)
    expect((await ann.client.get('/repos/eve/secret')).status).toBe(404)
  })

  it('to an organization wait for a member who may create repositories there, hidden or not', async () => {
    await server.world.repo({ owner: ann, name: 'gift', isPrivate: true })
    const team = await firm.team('crew', { members: [eve] })
    expect((await start('ann/gift', { new_owner: 'firm', team_ids: [team.id] })).status).toBe(201)
    expect((await bob.client.get('/repos/ann/gift')).status).toBe(404)
    expect((await eve.client.post('/repos/ann/gift/transfer/accept')).status).toBe(404)
    expect((await bob.client.post('/repos/ann/gift/transfer/accept')).json.full_name).toBe('firm/gift')
    expect((await bob.client.get('/repos/firm/gift/teams')).json.map((item: { name: string }) => item.name)).toEqual([
      'Owners',
      'crew',
    ])
    expect((await eve.client.get('/repos/firm/gift')).json.permissions).toEqual({
      admin: false,
      push: false,
      pull: true,
    })
    const watchers = (await bob.client.get('/repos/firm/gift/subscribers')).json
      .map((user: { login: string }) => user.login)
      .toSorted()
    expect([watchers, (await bob.client.get('/repos/firm/gift')).json.watchers_count]).toEqual([
      ['ann', 'bob', 'eve'],
      3,
    ])
  })

  it('complete at once if the actor may create for the new owner; old teams lose the repository', async () => {
    const back = await start('firm/gift', { new_owner: 'bob' }, bob)
    expect([back.status, back.json.full_name, back.json.permissions.admin]).toEqual([202, 'bob/gift', true])
    expect((await eve.client.get('/repos/bob/gift')).status).toBe(404)
    expect((await bob.client.get('/repos/firm/gift')).headers.get('location')).toBe('/api/v1/repos/bob/gift')
    const again = await start('bob/gift', { new_owner: 'firm' }, bob)
    expect([
      again.status,
      (await bob.client.get('/repos/firm/gift')).status,
      (await bob.client.get('/repos/bob/gift')).status,
    ]).toEqual([202, 200, 301])
  })

  it('are rejected for a recipient who blocks the owner', async () => {
    const shy = await server.world.user('shy')
    await server.world.repo({ owner: ann, name: 'unwanted' })
    expect((await start('ann/unwanted', { new_owner: 'shy' })).status).toBe(201)
    expect((await shy.client.put('/user/blocks/ann')).status).toBe(204)
    expect((await shy.client.post('/repos/ann/unwanted/transfer/accept')).status).toBe(404)
    expect((await start('ann/unwanted', { new_owner: 'shy' })).json.message).toBe('user is blocked')
  })

  it('are allowed only to recipients below their repository limit', async () => {
    const full = await server.world.user('full')
    await server.world.repo({ owner: ann, name: 'more' })
    await server.app.database.transaction((tx) =>
      tx.updateTable('user').set({ max_repo_creation: 0 }).where('id', '=', full.user.id).execute(),
    )
    expect((await start('ann/more', { new_owner: 'full' })).json.message).toBe('Repository limit has been reached')
  })

  it('of an administrator counts its watch only after the response', async () => {
    const root = await server.world.admin()
    await server.world.repo({ owner: ann, name: 'counted' })
    const answer = await root.client.post('/repos/ann/counted/transfer', { new_owner: 'bob' })
    expect([
      answer.status,
      answer.json.watchers_count,
      (await root.client.get('/repos/bob/counted')).json.watchers_count,
    ]).toEqual([202, 1, 2])
  })
})
