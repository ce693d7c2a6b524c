import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

describe('user settings', () => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann', { fullName: 'Ann Archer' })
  })
  afterAll(() => server.close())

  it('need a signed-in user', async () => {
    expect((await server.anonymous.get('/user/settings')).status).toBe(401)
    expect((await server.anonymous.patch('/user/settings', { full_name: 'x' })).status).toBe(401)
    expect((await (await ann.withToken('read:user')).patch('/user/settings', { full_name: 'x' })).status).toBe(403)
  })

  it('have defaults', async () => {
    expect((await ann.client.get('/user/settings')).json).toEqual({
      full_name: 'Ann Archer',
      website: '',
      description: '',
      location: '',
      pronouns: '',
      language: '',
      theme: 'gitea-auto',
      diff_view_style: '',
      hide_email: false,
      hide_pronouns: false,
      hide_activity: false,
      enable_repo_unit_hints: true,
      email_notifications: 'enabled',
    })
  })

  it('change only members that are sent; an empty text clears a member', async () => {
    const sent = {
      website: 'https://ann.example.test/~me?a=1',
      location: 'Tromsø',
      language: 'de_de',
      theme: 'dark',
      hide_email: true,
      hide_activity: true,
      diff_view_style: 'split',
      enable_repo_unit_hints: false,
    }
    expect((await ann.client.patch('/user/settings', sent)).json).toMatchObject({ ...sent, full_name: 'Ann Archer' })
    const other = await server.world.user('bob')
    expect((await other.client.get('/users/ann')).json.email).toMatch(/^\d+\+ann@/)
    expect((await ann.client.patch('/user/settings', { website: '', hide_activity: false })).json).toMatchObject({
      ...sent,
      website: '',
      hide_activity: false,
    })
    expect((await ann.client.get('/user/settings')).json).toMatchObject({ theme: 'dark', location: 'Tromsø' })
  })

  it('hide pronouns from anonymous viewers', async () => {
    const bob = await server.world.user('robin')
    const pronouns = async (client: Person['client']) => (await client.get('/users/ann')).json.pronouns
    const change = (hide: boolean) => ann.client.patch('/user/settings', { pronouns: 'they/them', hide_pronouns: hide })
    expect((await change(true)).json).toMatchObject({ pronouns: 'they/them', hide_pronouns: true })
    await server.world.repo({ owner: ann, name: 'mine' })
    expect((await server.anonymous.get('/repos/ann/mine')).json.owner.pronouns).toBe('')
    expect([await pronouns(server.anonymous), await pronouns(bob.client)]).toEqual(['', 'they/them'])
    await change(false)
    expect(await pronouns(server.anonymous)).toBe('they/them')
  })

  it('accept any text as website', async () => {
    expect((await ann.client.patch('/user/settings', { website: 'www.example' })).json.website).toBe('www.example')
  })

  it.each([
    [{ website: 'x'.repeat(256) }, '[Website]: MaxSize (at most 255 characters)'],
    [{ full_name: 'x'.repeat(101) }, '[FullName]: MaxSize (at most 100 characters)'],
    [{ location: 'x'.repeat(51) }, '[Location]: MaxSize (at most 50 characters)'],
    [{ description: 'x'.repeat(256) }, '[Description]: MaxSize (at most 255 characters)'],
  ])('refuse %j', async (body, message) => {
    const refused = await ann.client.patch('/user/settings', body)
    expect([refused.status, refused.json.message]).toEqual([422, message])
  })
})
