import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person
let root: Person

/** Starts a server with the accounts for the tests of one describe block. */
function useWorld(): void {
  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    root = await server.world.admin()
  })
  afterAll(() => server.close())
}

const names = (response: { json: { name: string }[] }): string[] => response.json.map((org) => org.name)

describe('non-members of organizations', () => {
  useWorld()

  beforeAll(async () => {
    await server.world.org('shop', { owner: ann })
    await server.world.org('club', { owner: ann, visibility: 'limited' })
    await server.world.org('den', { owner: ann, visibility: 'private' })
  })

  it('get 401 before any look-up', async () => {
    for (const path of ['/orgs/shop', '/orgs/den', '/orgs/nothing'])
      expect((await server.anonymous.patch(path, { location: 5 })).status).toBe(401)
    expect((await server.anonymous.post('/orgs', {})).status).toBe(401)
    expect((await server.anonymous.get('/user/orgs')).status).toBe(401)
    expect((await server.anonymous.get('/orgs/shop/members')).status).toBe(401)
  })

  it('get the same response for a hidden organization as for a missing one', async () => {
    for (const path of ['/orgs/den', '/orgs/nothing', '/orgs/bob']) {
      expect((await bob.client.get(path)).status).toBe(404)
      expect((await bob.client.patch(path, {})).status).toBe(404)
      expect((await bob.client.delete(path)).status).toBe(404)
      expect((await bob.client.get(`${path}/public_members`)).status).toBe(404)
    }
    expect((await server.anonymous.get('/orgs/club')).status).toBe(404)
    expect((await bob.client.get('/orgs/club')).status).toBe(200)
    expect((await root.client.get('/orgs/den')).status).toBe(200)
  })

  it('may not change visible organizations', async () => {
    expect(await bob.client.patch('/orgs/shop', { location: 5 })).toMatchObject({
      status: 403,
      json: { message: 'Must be an organization owner' },
    })
    expect((await bob.client.delete('/orgs/shop')).status).toBe(403)
    expect((await bob.client.post('/orgs/shop/rename', { new_name: 'x' })).status).toBe(403)
    expect((await bob.client.get('/admin/orgs')).status).toBe(403)
    expect((await bob.client.post('/admin/users/nobody/orgs', {})).status).toBe(403)
  })

  it('need the scope', async () => {
    const reader = await ann.withToken('read:organization')
    expect((await reader.get('/orgs/den')).status).toBe(200)
    expect((await reader.patch('/orgs/den', {})).status).toBe(403)
    expect((await reader.get('/user/orgs')).status).toBe(403)
    const outward = await ann.withToken('write:organization', 'public-only')
    expect((await outward.get('/orgs/den')).status).toBe(403)
    expect(names(await outward.get('/orgs'))).toEqual(['shop'])
  })

  it('can list the organizations that they may see, A-Z', async () => {
    expect(names(await server.anonymous.get('/orgs'))).toEqual(['shop'])
    expect(names(await bob.client.get('/orgs'))).toEqual(['club', 'shop'])
    expect(names(await root.client.get('/orgs'))).toEqual(['club', 'den', 'shop'])
    expect(names(await root.client.get('/admin/orgs?limit=1&page=2'))).toEqual(['den'])
    expect(names(await ann.client.get('/user/orgs'))).toEqual(['club', 'den', 'shop'])
    expect(names(await bob.client.get('/users/ann/orgs'))).toEqual([])
    for (const org of ['shop', 'club', 'den']) await ann.client.put(`/orgs/${org}/public_members/ann`)
    expect(names(await bob.client.get('/users/ann/orgs'))).toEqual(['club', 'shop'])
    const strict = await server.world.user('strict', { isRestricted: true })
    expect(names(await strict.client.get('/users/ann/orgs'))).toEqual(['shop'])
    expect(names(await root.client.get('/admin/users/ann/orgs'))).toEqual(['club', 'den', 'shop'])
  })

  it('get 404 for the permissions in a hidden organization', async () => {
    expect((await bob.client.get('/users/ann/orgs/den/permissions')).status).toBe(404)
    expect((await ann.client.get('/users/ann/orgs/den/permissions')).json).toEqual({
      is_owner: true,
      is_admin: true,
      can_write: true,
      can_read: true,
      can_create_repository: true,
    })
    expect((await ann.client.get('/users/bob/orgs/den/permissions')).json).toEqual({
      is_owner: false,
      is_admin: false,
      can_write: false,
      can_read: false,
      can_create_repository: false,
    })
  })
})

describe('creating an organization', () => {
  useWorld()

  it('creates the Owners team with the creator; the e-mail need not be unique', async () => {
    const made = await bob.client.post('/orgs', {
      username: 'Yard',
      full_name: 'The Yard',
      email: 'ann@example.test',
      website: 'https://yard.test',
      visibility: '',
      repo_admin_change_team_access: true,
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      name: 'Yard',
      username: 'Yard',
      full_name: 'The Yard',
      email: 'ann@example.test',
      description: '',
      location: '',
      visibility: 'public',
      repo_admin_change_team_access: true,
    })
    expect((await server.anonymous.get('/orgs/yard')).json.email).toBe('')
    expect((await bob.client.get('/orgs/YARD/members/bob')).status).toBe(204)
    expect((await server.anonymous.get('/orgs/yard/public_members/bob')).status).toBe(404)
  })

  it('refuses bad, reserved and duplicate names and bad values, naming the field', async () => {
    const refused = async (body: object): Promise<string> => {
      const answer = await bob.client.post('/orgs', body)
      expect(answer.status).toBe(422)
      return answer.json.message
    }
    expect(await refused({})).toBe('[UserName]: Required')
    expect(await refused({ username: 'BOB' })).toBe('user already exists [name: BOB]')
    expect(await refused({ username: 'api' })).toBe('name is reserved [name: api]')
    expect(await refused({ username: 'a b' })).toBe('[UserName]: invalid username')
    expect(await refused({ username: 'n'.repeat(41) })).toBe('[UserName]: MaxSize (at most 40 characters)')
    expect(await refused({ username: 'x', visibility: 'secret' })).toBe('[Visibility]: In')
    expect((await bob.client.post('/orgs', { username: 'www', website: 'www.example' })).json.website).toBe(
      'www.example',
    )
    expect(await refused({ username: 'x', website: 'x'.repeat(256) })).toMatch(/^\[Website\]: /)
    expect(await refused({ username: 'x', description: 'd'.repeat(256) })).toBe(
      '[Description]: MaxSize (at most 255 characters)',
    )
  })

  it('is limited to site administrators by a setting; they may create for other users', async () => {
    const strict = await startServer({
      settings: {
        'service.disable_regular_org_creation': 'true',
        'service.default_org_member_visible': 'true',
      },
    })
    try {
      const cat = await strict.world.user('cat')
      const boss = await strict.world.admin()
      expect((await cat.client.post('/orgs', { username: 'x' })).status).toBe(403)
      expect((await boss.client.post('/admin/users/cat/orgs', { username: 'x' })).status).toBe(403)
      expect((await boss.client.post('/admin/users/nobody/orgs', { username: 'x' })).status).toBe(404)
      expect(await boss.client.post('/orgs', { username: 'x' })).toMatchObject({ status: 201 })
      expect((await strict.anonymous.get('/orgs/x/public_members')).json).toHaveLength(1)
    } finally {
      await strict.close()
    }
  })
})

describe('editing an organization', () => {
  useWorld()

  it('does not change absent members, clears with an empty text and checks an e-mail address', async () => {
    await server.world.org('mill', { owner: bob, fullName: 'Mill', email: 'odd address' })
    expect((await bob.client.patch('/orgs/mill', { location: 'Here' })).json).toMatchObject({
      full_name: 'Mill',
      email: 'odd address',
      location: 'Here',
    })
    expect((await bob.client.patch('/orgs/mill', { full_name: '', email: '', visibility: '' })).json).toMatchObject({
      full_name: '',
      email: '',
      visibility: 'public',
    })
    expect((await bob.client.patch('/orgs/mill', { email: 'still odd' })).status).toBe(422)
    expect((await root.client.patch('/orgs/mill', { visibility: 'private' })).json.visibility).toBe('private')
  })

  it('renames without changing ids; the old name redirects clients that may see the organization', async () => {
    const { org } = await server.world.org('old', { owner: bob })
    expect((await bob.client.post('/orgs/old/rename', {})).json.message).toBe('[NewName]: Required')
    expect((await bob.client.post('/orgs/old/rename', { new_name: 'ann' })).status).toBe(422)
    expect((await bob.client.post('/orgs/old/rename', { new_name: 'old' })).status).toBe(204)
    expect((await bob.client.post('/orgs/old/rename', { new_name: 'OLD' })).status).toBe(204)
    expect((await bob.client.post('/orgs/old/rename', { new_name: 'new' })).status).toBe(204)
    expect((await bob.client.get('/orgs/new')).json.id).toBe(org.id)
    const moved = await ann.client.get('/orgs/old/members?limit=1')
    expect(moved.status).toBe(307)
    expect(moved.headers.get('location')).toBe('/api/v1/orgs/new/members?limit=1')
    await bob.client.patch('/orgs/new', { visibility: 'private' })
    expect((await ann.client.get('/orgs/old')).status).toBe(404)
    expect((await bob.client.post('/orgs/new/rename', { new_name: 'old' })).status).toBe(204)
    expect((await bob.client.get('/orgs/old')).status).toBe(200)
    expect((await bob.client.get('/orgs/new')).status).toBe(307)
  })

  it('deletes', async () => {
    await server.world.org('gone', { owner: bob })
    expect((await bob.client.delete('/orgs/gone')).status).toBe(204)
    expect((await bob.client.get('/orgs/gone')).status).toBe(404)
    expect(names(await bob.client.get('/user/orgs'))).not.toContain('gone')
  })
})
