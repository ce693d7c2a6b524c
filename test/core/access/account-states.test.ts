import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let root: Person
let ann: Person
let token: string
const PROHIBITED = { message: 'This account is prohibited from signing in, please contact your site administrator.' }
const EVERYWHERE = ['/user', '/version', '/settings/api', '/users/root', '/repos/ann/none']

beforeAll(async () => {
  server = await startServer()
  root = await server.world.admin()
  ann = await server.world.user('ann')
  token = await ann.token('all')
})
afterAll(() => server.close())

const change = async (body: object) =>
  expect((await root.client.patch('/admin/users/ann', { source_id: 0, login_name: 'ann', ...body })).status).toBe(200)
const byToken = (path: string) => server.anonymous.get(path, { authorization: `token ${token}` })

describe('an account', () => {
  it('that is not active is refused everywhere, whatever the credentials', async () => {
    await change({ active: false })
    for (const path of EVERYWHERE) {
      expect(await byToken(path), path).toMatchObject({ status: 403, json: PROHIBITED })
      expect((await ann.client.get(path)).json, path).toEqual(PROHIBITED)
    }
    expect((await root.client.get('/user?sudo=ann')).json.login).toBe('ann')
    await change({ active: true })
    expect((await byToken('/user')).status).toBe(200)
  })

  it('that may not sign in has wrong passwords and refused tokens', async () => {
    await change({ prohibit_login: true })
    for (const path of EVERYWHERE) {
      expect((await byToken(path)).json, path).toEqual(PROHIBITED)
      expect((await ann.client.get(path)).status, path).toBe(401)
    }
    await change({ prohibit_login: false })
  })

  it('that must change its password does that first', async () => {
    await change({ must_change_password: true })
    for (const path of EVERYWHERE) {
      const refused = await byToken(path)
      expect(refused.status, path).toBe(403)
      expect(Object.keys(refused.json)).toEqual(['message'])
      expect(refused.json.message).toMatch(/^You must change your password\. Change it at: http/)
    }
    await change({ must_change_password: false, password: 'An0ther-horse!' })
    expect((await byToken('/user')).status).toBe(200)
  })
})

describe('anonymous callers', () => {
  it('get 403 everywhere where all must sign in, and 401 with wrong credentials', async () => {
    const closed = await startServer({ settings: { 'service.require_signin_view': 'true' } })
    try {
      for (const path of [...EVERYWHERE, '/orgs', '/nodeinfo', '/licenses', '/user?sudo=root']) {
        expect(await closed.anonymous.get(path), path).toMatchObject({
          status: 403,
          json: { message: 'Only signed in user is allowed to call APIs.' },
        })
      }
      expect(Object.keys((await closed.anonymous.get('/version')).json)).toEqual(['message'])
      expect((await closed.anonymous.get('/version?token=wrong')).status).toBe(401)
      expect((await closed.anonymous.get('/nowhere')).status).toBe(404)
      expect((await closed.anonymous.delete('/version')).status).toBe(405)
      const bob = await closed.world.user('bob')
      expect((await bob.client.get('/version')).status).toBe(200)
    } finally {
      await closed.close()
    }
  })
})

describe('acting as others', () => {
  it('is refused to all but administrators with the same message, before anything is looked up', async () => {
    const refusal = { message: 'Only administrators allowed to sudo.' }
    for (const path of ['/user?sudo=root', '/version?sudo=nobody', '/repos/x/y?sudo=ann']) {
      for (const client of [server.anonymous, await ann.withToken('all')])
        expect((await client.get(path)).json, path).toEqual(refusal)
    }
    expect((await server.anonymous.get('/version', { sudo: 'root' })).json).toEqual(refusal)
  })

  it('prefers the query over the header, ignores an empty name, and accepts accounts in any state', async () => {
    const login = async (path: string, headers: Record<string, string> = {}) =>
      (await root.client.get(path, headers)).json.login
    await server.world.user('bob', { visibility: 'private', isRestricted: true })
    expect(await login('/user?sudo=ann', { sudo: 'bob' })).toBe('ann')
    expect(await login('/user?sudo=', { sudo: 'BOB' })).toBe('bob')
    expect(await login('/user?sudo=')).toBe('root')
    for (const body of [
      { active: false },
      { active: true, prohibit_login: true },
      { prohibit_login: false, must_change_password: true },
    ]) {
      await change(body)
      expect(await login('/user?sudo=ann')).toBe('ann')
    }
    await change({ must_change_password: false })
  })

  it("keeps the rights of the token and loses the administrator's", async () => {
    const narrow = await root.withToken('read:user')
    expect((await narrow.get('/user?sudo=ann')).json.login).toBe('ann')
    expect((await narrow.patch('/user/settings?sudo=ann', {})).status).toBe(403)
    expect((await narrow.get('/user/repos?sudo=ann')).json.message).toContain('read:repository')
    expect((await root.client.get('/admin/users?sudo=ann')).json.message).toBe('user should be the site admin')
    expect((await root.client.get('/version?sudo=nobody')).status).toBe(404)
  })
})
