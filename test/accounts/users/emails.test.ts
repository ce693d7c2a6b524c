import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

describe('e-mail addresses', () => {
  let server: TestServer
  let ann: Person
  let bob: Person
  const addresses = (list: readonly { email: string }[]): string[] => list.map(({ email }) => email)

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('Ann')
    bob = await server.world.user('bob')
  })
  afterAll(() => server.close())

  it('are for the user and site administrators', async () => {
    expect((await server.anonymous.get('/user/emails')).status).toBe(401)
    expect((await server.anonymous.post('/user/emails', { emails: ['x@example.test'] })).status).toBe(401)
    expect((await server.anonymous.delete('/user/emails', { emails: ['ann@example.test'] })).status).toBe(401)
    expect((await ann.client.get('/admin/emails')).status).toBe(403)
    expect((await ann.client.get('/admin/emails/search?q=bob')).status).toBe(403)
  })

  it('are added, listed and accepted for sign-in', async () => {
    const added = await ann.client.post('/user/emails', { emails: ['Ann2@example.test', 'ann3@example.test'] })
    expect([added.status, addresses(added.json)]).toEqual([
      201,
      ['ann@example.test', 'Ann2@example.test', 'ann3@example.test'],
    ])
    expect(added.json[1]).toEqual({
      email: 'Ann2@example.test',
      verified: true,
      primary: false,
      user_id: 0,
      username: '',
    })
    const basic = Buffer.from(`ann2@example.test:${PASSWORD}`).toString('base64')
    expect((await server.anonymous.get('/user', { authorization: `Basic ${basic}` })).json.login).toBe('Ann')
  })

  it.each([
    [['new@example.test', 'ANN2@example.test'], 'Email address has been used: ANN2@example.test'],
    [['twice@example.test', 'twice@example.test'], 'Email address has been used: twice@example.test'],
    [['new@example.test', 'nowhere'], 'Email address "nowhere" invalid'],
    [[], 'Email list empty'],
    [null, 'Email list empty'],
  ])('refuse %j', async (emails, message) => {
    const refused = await bob.client.post('/user/emails', { emails })
    expect([refused.status, refused.json.message]).toEqual([422, message])
    expect(addresses((await bob.client.get('/user/emails')).json)).toEqual(['bob@example.test'])
  })

  it('are deleted, except the primary one and those of other users', async () => {
    for (const email of ['ann3@example.test', 'nobody@example.test'])
      expect((await bob.client.delete('/user/emails', { emails: [email] })).status).toBe(404)
    const primary = await ann.client.delete('/user/emails', { emails: ['ann3@example.test', 'ann@example.test'] })
    expect([primary.status, primary.json.message]).toEqual([
      422,
      'Primary email address cannot be deleted [email: ann@example.test]',
    ])
    expect((await ann.client.delete('/user/emails', { emails: [] })).status).toBe(204)
    expect((await ann.client.delete('/user/emails', { emails: ['ANN3@example.test'] })).status).toBe(204)
    expect(addresses((await ann.client.get('/user/emails')).json)).toEqual(['ann@example.test', 'Ann2@example.test'])
  })

  it('are listed and searched by administrators', async () => {
    const root = await server.world.admin()
    const page = await root.client.get('/admin/emails?limit=2')
    expect([addresses(page.json), page.headers.get('x-total-count')]).toEqual([
      ['Ann2@example.test', 'ann@example.test'],
      '4',
    ])
    expect(page.json[1]).toMatchObject({ user_id: ann.user.id, username: 'Ann', primary: true })
    expect(addresses((await root.client.get('/admin/emails/search?q=BOB')).json)).toEqual(['bob@example.test'])
    expect((await root.client.get('/admin/emails/search?q=nobody')).json).toEqual([])
  })

  it('of one user are listed and deleted by administrators', async () => {
    const root = await server.world.admin('chief')
    await bob.client.post('/user/emails', { emails: ['bob2@example.test'] })
    const remove = (emails: string[]) => root.client.delete('/admin/users/bob/emails', { emails })
    expect((await root.client.get('/admin/users/bob/emails')).json).toMatchObject([
      { email: 'bob@example.test', primary: true, user_id: bob.user.id, username: 'bob' },
      { email: 'bob2@example.test', primary: false },
    ])
    expect((await remove(['bob@example.test'])).status).toBe(422)
    expect((await remove(['ann@example.test'])).status).toBe(404)
    expect((await remove(['bob2@example.test'])).status).toBe(204)
    expect(addresses((await root.client.get('/admin/users/bob/emails')).json)).toEqual(['bob@example.test'])
    expect((await ann.client.get('/admin/users/bob/emails')).status).toBe(403)
    expect((await ann.client.delete('/admin/users/bob/emails', { emails: ['bob@example.test'] })).status).toBe(403)
    expect((await root.client.get('/admin/users/nobody/emails')).status).toBe(404)
  })
})
