import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

let server: TestServer
let guild: Organization
let bob: Person
let cat: Person

beforeAll(async () => {
  server = await startServer()
  guild = await server.world.org('guild', { owner: await server.world.user('ann') })
  bob = await server.world.user('bob')
  cat = await server.world.user('cat')
})
afterAll(() => server.close())

describe('teams', () => {
  it('refuse non-members and plain members', async () => {
    const team = await guild.team('crew', { members: [bob] })
    const other = await guild.team('other')
    expect((await server.anonymous.get(`/teams/${team.id}`)).status).toBe(401)
    expect((await cat.client.get(`/teams/${team.id}`)).status).toBe(404)
    expect((await bob.client.get(`/teams/${other.id}`)).status).toBe(403)
    expect((await bob.client.patch(`/teams/${team.id}`, { description: 'x' })).status).toBe(404)
    expect((await bob.client.put(`/teams/${team.id}/members/cat`)).status).toBe(404)
    expect(await cat.client.post('/orgs/guild/teams', { name: 'x' })).toMatchObject({
      status: 403,
      json: { message: 'Must be an organization member' },
    })
    expect(await bob.client.post('/orgs/guild/teams', { name: 'x' })).toMatchObject({
      status: 403,
      json: { message: 'Must be an organization owner' },
    })
  })

  it('are seen by their members and owners, by the organization, or by everybody', async () => {
    const order = await server.world.org('order', { owner: guild.owner })
    const dan = await server.world.user('dan')
    await order.team('members', { members: [dan] })
    const team = await order.team('inner')
    const names = async (by: Person, path = '/orgs/order/teams'): Promise<string[]> => {
      const { json } = await by.client.get(path)
      return (json.data ?? json).map((one: { name: string }) => one.name)
    }
    const show = (visibility: string) => guild.owner.client.patch(`/teams/${team.id}`, { visibility })
    const statuses = async () =>
      Promise.all([dan, cat].map(async (by) => (await by.client.get(`/teams/${team.id}`)).status))
    expect((await guild.owner.client.get(`/teams/${team.id}`)).json.visibility).toBe('private')
    expect([await names(guild.owner), await names(dan), await statuses()]).toEqual([
      ['inner', 'members', 'Owners'],
      ['members'],
      [403, 404],
    ])
    expect((await show('limited')).json.visibility).toBe('limited')
    expect([await names(dan), await names(dan, '/orgs/order/teams/search?q=INN'), await statuses()]).toEqual([
      ['inner', 'members'],
      ['inner'],
      [200, 404],
    ])
    await show('public')
    expect(await statuses()).toEqual([200, 200])
    expect((await cat.client.get(`/teams/${team.id}/members`)).status).toBe(404)
    expect((await cat.client.patch(`/teams/${team.id}`, { description: 'x' })).status).toBe(404)
    await guild.owner.client.patch('/orgs/order', { visibility: 'private' })
    expect(await statuses()).toEqual([200, 404])
    expect((await show('secret')).status).toBe(422)
    const owners = (await guild.owner.client.get('/orgs/order/teams/search?q=owners')).json.data[0]
    const fixed = await guild.owner.client.patch(`/teams/${owners.id}`, { visibility: 'public' })
    expect(fixed.json.visibility).toBe('private')
  })

  it('respond with 404 before any other check when missing, and to non-members of a hidden organization', async () => {
    const cabal = await server.world.org('cabal', { visibility: 'private', owner: guild.owner })
    const hidden = await cabal.team('cell')
    for (const path of ['/teams/999999', '/teams/0/repos', '/teams/x/activities/feeds']) {
      expect((await server.anonymous.get(path)).status, path).toBe(404)
      expect((await cat.client.get(path)).status, path).toBe(404)
    }
    for (const path of [`/teams/${hidden.id}`, `/teams/${hidden.id}/members`]) {
      expect((await server.anonymous.get(path)).json.message, path).toBe('token is required')
      expect((await cat.client.get(path)).status, path).toBe(404)
    }
    expect((await guild.owner.client.get('/teams/999999')).status).toBe(404)
    expect((await server.anonymous.patch('/teams/999999', '{"broken')).status).toBe(404)
  })

  it('contain the organization and the lowest level of their units', async () => {
    const { client } = guild.owner
    const units_map = { 'repo.code': 'write', 'repo.issues': 'read', 'repo.wiki': 'none', 'repo.ext_wiki': 'none' }
    expect(
      await client.post('/orgs/guild/teams', { name: 'mixed', units_map: { ...units_map, 'repo.bogus': 'read' } }),
    ).toMatchObject({
      status: 201,
      json: { name: 'mixed', permission: 'read', units_map, organization: { username: 'guild' } },
    })
    const warned = await client.post('/orgs/guild/teams', {
      name: 'warned',
      permission: 'much',
      units: ['repo.code', 'repo.odd'],
      units_map: { ...units_map, 'repo.bogus': 'read' },
    })
    expect([warned.status, warned.headers.get('x-ingot-warning')]).toEqual([
      201,
      ['permission: unknown and ignored: much', 'units: unknown and ignored: repo.odd']
        .concat('units_map: unknown and ignored: repo.bogus')
        .join('; '),
    ])
    const edited = await client.patch(`/teams/${warned.json.id}`, { permission: 'read', units: ['repo.code', 'wiki'] })
    expect([edited.status, edited.headers.get('x-ingot-warning')]).toEqual([200, 'units: unknown and ignored: wiki'])
    expect(await client.post('/orgs/guild/teams', { name: 'MIXED', units_map })).toMatchObject({ status: 422 })
    expect(await client.post('/orgs/guild/teams', { name: 'none', permission: 'read' })).toMatchObject({
      status: 422,
      json: { message: 'units permission should not be empty' },
    })
    expect((await client.post('/orgs/guild/teams', { name: 'new', units: ['repo.code'] })).status).toBe(422)
    expect((await client.post('/orgs/guild/teams', { name: 'bad', units_map: { 'repo.code': 'much' } })).status).toBe(
      422,
    )
  })

  it('apply a level without units to the present units', async () => {
    const team = await guild.team('levels', { permission: 'read', units: ['repo.code', 'repo.wiki'] })
    expect((await guild.owner.client.patch(`/teams/${team.id}`, { permission: 'write' })).json).toMatchObject({
      permission: 'write',
      organization: null,
      units_map: { 'repo.code': 'write', 'repo.wiki': 'write' },
    })
    expect((await guild.owner.client.patch(`/teams/${team.id}`, { permission: 'owner' })).json).toMatchObject({
      permission: 'none',
      units_map: { 'repo.code': 'none' },
    })
  })

  it('have every repository with the flag, and retain them when it is disabled', async () => {
    const repo = await server.world.repo({ owner: guild.org, by: guild.owner, name: 'one', isPrivate: true })
    const team = await guild.team('all', { includesAllRepositories: true, members: [bob] })
    expect((await bob.client.get('/repos/guild/one')).status).toBe(200)
    await guild.owner.client.patch(`/teams/${team.id}`, { includes_all_repositories: false })
    expect((await bob.client.get(`/teams/${team.id}/repos`)).json).toMatchObject([{ id: repo.id }])
    expect((await bob.client.get(`/teams/${team.id}/repos/anything/one`)).json).toMatchObject({ id: repo.id })
    expect((await bob.client.delete(`/teams/${team.id}/repos/guild/one`)).status).toBe(403)
    expect((await guild.owner.client.delete(`/teams/${team.id}/repos/guild/one`)).status).toBe(204)
    expect((await bob.client.get('/repos/guild/one')).status).toBe(404)
  })

  it('always have at least one owner', async () => {
    const owners = (await guild.owner.client.get('/orgs/guild/teams/search?q=owners')).json.data[0]
    expect(owners.permission).toBe('owner')
    expect((await guild.owner.client.patch(`/teams/${owners.id}`, { name: 'bosses' })).status).toBe(403)
    expect((await guild.owner.client.delete(`/teams/${owners.id}`)).status).toBe(403)
    expect((await guild.owner.client.delete(`/teams/${owners.id}/members/ann`)).status).toBe(422)
  })

  it('add members to the organization, and delete the membership with the last team', async () => {
    const team = await guild.team('core')
    const { client } = guild.owner
    expect((await client.put(`/teams/${team.id}/members/nobody`)).status).toBe(404)
    expect((await client.put(`/teams/${team.id}/members/cat`)).status).toBe(204)
    expect((await client.get('/orgs/guild/members/cat')).status).toBe(204)
    expect((await cat.client.get('/user/teams')).json).toMatchObject([
      { name: 'core', organization: { name: 'guild' } },
    ])
    expect((await client.delete(`/teams/${team.id}/members/cat`)).status).toBe(204)
    expect((await client.get('/orgs/guild/members/cat')).status).toBe(404)
  })

  it('delete memberships and watches that depended on a deleted team', async () => {
    const { client } = guild.owner
    const [gate, wall] = [await guild.team('gate'), await guild.team('wall')]
    expect((await client.post('/orgs/guild/repos', { name: 'keep', private: true })).status).toBe(201)
    for (const path of [
      `/teams/${gate.id}/repos/guild/keep`,
      `/teams/${gate.id}/members/bob`,
      `/teams/${gate.id}/members/cat`,
      `/teams/${wall.id}/members/bob`,
    ])
      expect((await client.put(path)).status).toBe(204)
    expect((await client.get('/repos/guild/keep')).json.watchers_count).toBe(3)
    expect((await client.delete(`/teams/${gate.id}`)).status).toBe(204)
    expect((await client.get('/repos/guild/keep')).json.watchers_count).toBe(1)
    expect([
      (await client.get('/orgs/guild/members/cat')).status,
      (await client.get('/orgs/guild/members/bob')).status,
    ]).toEqual([404, 204])
  })
})
