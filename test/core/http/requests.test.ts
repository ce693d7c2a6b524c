import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let alice: Person
let root: Person

beforeAll(async () => {
  server = await startServer()
  alice = await server.world.user('alice')
  root = await server.world.admin()
})
afterAll(() => server.close())

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

describe('credentials', () => {
  it('are wrong: 401, on public operations too', async () => {
    expect((await server.anonymous.get('/version', basic('alice', 'wrong'))).status).toBe(401)
    expect((await server.anonymous.get('/version', { authorization: `token ${'0'.repeat(40)}` })).json.message).toBe(
      'invalid username, password or token',
    )
    expect((await server.anonymous.get('/version?token=nonsense')).status).toBe(401)
  })

  it('that make no sense are no credentials', async () => {
    for (const authorization of [
      'foo bar',
      'token',
      'token a b',
      'Basic !!!',
      `Basic ${Buffer.from('nocolon').toString('base64')}`,
    ]) {
      expect((await server.anonymous.get('/version', { authorization })).status).toBe(200)
    }
    expect((await server.anonymous.get('/user')).json.message).toBe('token is required')
  })

  it('come as password, e-mail, token as user or password, query', async () => {
    const token = await alice.token('read:user')
    for (const headers of [
      basic('ALICE', 'Corr3ct-horse!'),
      basic('alice@example.test', 'Corr3ct-horse!'),
      basic('anything', token),
      basic(token, ''),
      basic(token, 'x-oauth-basic'),
    ]) {
      expect((await server.anonymous.get('/user', headers)).json.login).toBe('alice')
    }
    expect((await server.anonymous.get(`/user?access_token=${token}`)).json.login).toBe('alice')
  })

  it('come in an urlencoded body, and the answer warns of tokens outside of the header', async () => {
    const token = await alice.token('write:user')
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const added = await server.anonymous.post('/user/emails', `token=${token}&emails=form@example.test`, form)
    expect(added.status).toBe(201)
    expect(added.headers.get('x-gitea-warning')).toContain('Authorization')
    expect((await server.anonymous.post('/user/emails', 'access_token=wrong&emails=x@example.test', form)).status).toBe(
      401,
    )
    expect((await server.anonymous.post('/user/emails', 'emails=x@example.test', form)).json.message).toBe(
      'token is required',
    )
    const refused = await server.anonymous.get(`/admin/users?token=${token}`)
    expect([refused.status, refused.headers.get('x-gitea-warning') !== null]).toEqual([403, true])
    expect((await alice.client.get('/user')).headers.get('x-gitea-warning')).toBeNull()
  })

  it('that are invalid are ignored if others are valid', async () => {
    const token = await alice.token('read:user')
    expect((await server.anonymous.get('/user?token=wrong', basic('alice', 'Corr3ct-horse!'))).json.login).toBe('alice')
    expect((await server.anonymous.get(`/user?token=${token}`, { authorization: 'token wrong' })).json.login).toBe(
      'alice',
    )
    expect((await server.anonymous.get(`/user?token=${token}`, basic('root', 'Corr3ct-horse!'))).json.login).toBe(
      'alice',
    )
    expect((await server.anonymous.get('/user?token=wrong', { authorization: 'token wrong' })).json.message).toBe(
      'invalid username, password or token',
    )
  })

  it('cookies are ignored', async () => {
    expect((await server.anonymous.get('/user', { cookie: 'session=1' })).status).toBe(401)
  })
})

describe('scopes', () => {
  it('name what is missing', async () => {
    const client = await alice.withToken('read:repository')
    expect((await client.get('/user')).json.message).toMatch(
      /^token does not have at least one of required scope\(s\), required=\[read:user\]/,
    )
  })
})

describe('sudo', () => {
  it('is for administrators', async () => {
    expect((await root.client.get('/user?sudo=alice')).json.login).toBe('alice')
    expect((await root.client.get('/user', { sudo: 'ALICE' })).json.login).toBe('alice')
    expect((await alice.client.get('/user?sudo=root')).status).toBe(403)
    expect((await server.anonymous.get('/version?sudo=root')).status).toBe(403)
    expect((await root.client.get('/user?sudo=nobody')).status).toBe(404)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await root.client.patch('/user/settings', 'sudo=alice&location=Here', form)).json.location).toBe('Here')
    expect((await alice.client.get('/user')).json.location).toBe('Here')
    expect((await alice.client.patch('/user/settings', 'sudo=root&location=There', form)).status).toBe(403)
  })
})

describe('bodies', () => {
  const post = (body: string, type?: string) =>
    alice.client.post('/users/alice/tokens', body, type === undefined ? {} : { 'content-type': type })

  it('that are broken get 422', async () => {
    expect((await post('{"name": ', 'application/json')).json.message).toBe('[]: unexpected EOF')
    expect((await post('{name}', 'application/json')).status).toBe(422)
    expect((await post('[1]', 'application/json')).status).toBe(422)
    expect((await post('x', 'text/plain')).json.message).toBe('[]: Unsupported Content-Type')
    expect((await post('['.repeat(1_000_000), 'application/json')).status).toBe(422)
  })

  it('match members in any case, ignore unknown ones and what follows the first value', async () => {
    expect(
      (await post('{"NAME":"one","zzz":{"a":[1]},"scopes":["all"]} trailing', 'application/json; charset=utf-8'))
        .status,
    ).toBe(201)
    expect((await post('name=two&scopes=all', 'application/x-www-form-urlencoded')).status).toBe(201)
  })

  it('are chosen by a part of their type in any case, multipart forms too', async () => {
    for (const [name, type] of [
      ['three', 'text/JSON'],
      ['four', 'Application/Vnd.Api+Json'],
    ] as const)
      expect((await post(JSON.stringify({ name, scopes: ['all'] }), type)).status, type).toBe(201)
    expect((await post('name=five&scopes=all', 'APPLICATION/X-WWW-FORM-URLENCODED')).status).toBe(201)
    const part = (disposition: string, value: string): string =>
      `--Bo undary\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`
    const form = `${part('filename="x"; name="name"', 'six')}${part('name="scopes"', 'read:user')}${part('name="scopes"', 'read:issue')}--Bo undary--\r\n`
    expect(await post(form, 'multipart/form-data; boundary="Bo undary"')).toMatchObject({
      status: 201,
      json: { name: 'six', scopes: ['read:issue', 'read:user'] },
    })
    expect((await post('x', 'multipart/form-data')).status).toBe(422)
  })

  it('that are null are empty, and bodies without a content type are ignored', async () => {
    expect((await alice.client.patch('/user/settings', 'null', { 'content-type': 'application/json' })).status).toBe(
      200,
    )
    expect((await post('null', 'application/json')).json.message).toBe('[Name]: Required')
    const basicAuth = basic('alice', 'Corr3ct-horse!')
    const bare = (method: string, path: string) => fetch(`${server.url}/api/v1${path}`, { method, headers: basicAuth })
    expect(
      (await ((await bare('PATCH', '/user/settings?location=Query')).json() as Promise<{ location: string }>)).location,
    ).toBe('Query')
    expect(await (await bare('POST', '/users/alice/tokens?name=x')).json()).toMatchObject({
      message: '[]: Empty Content-Type',
    })
    expect(await (await bare('PUT', '/repos/alice/none/topics')).json()).toEqual({})
  })

  it('are not looked at before the caller is', async () => {
    expect(
      (await server.anonymous.post('/users/alice/tokens', '{broken', { 'content-type': 'application/json' })).status,
    ).toBe(403)
  })
})

describe('paths', () => {
  it('unknown: 404; another method: 405 with Allow; trailing slash: fine', async () => {
    const missing = await server.anonymous.get('/nowhere')
    expect(missing).toMatchObject({ status: 404, json: {} })
    const wrong = await server.anonymous.delete('/version')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET')
    expect((await server.anonymous.get('/version/')).status).toBe(200)
  })

  it('hidden and missing answer {} with the reason in a header', async () => {
    const missing = await server.anonymous.get('/users/nobody')
    expect(missing).toMatchObject({ status: 404, json: {} })
    expect(missing.headers.get('x-ingot-message')).toBe('user does not exist')
  })
})

it('errors have a code in a header: that of the catalogue, else that of the status', async () => {
  const { client } = alice
  await server.world.repo({ owner: alice, name: 'coded' })
  const outcomes = await Promise.all([
    server.anonymous.get('/user'),
    client.get('/admin/users'),
    client.get('/users/nobody'),
    client.get('/user/starred/alice/coded'),
    client.get('/nowhere'),
    client.delete('/version'),
    client.post('/user/repos', { name: 'coded' }),
    client.post('/user/repos', {}),
    client.post('/user/repos', '{', { 'content-type': 'application/json' }),
  ])
  expect(outcomes.map(({ status, headers }) => [status, headers.get('x-ingot-reason')])).toEqual([
    [401, 'token_required'],
    [403, 'site_admin_required'],
    [404, 'user_not_found'],
    [404, 'not_found'],
    [404, 'path_not_found'],
    [405, 'method_not_allowed'],
    [409, 'repo_name_taken'],
    [422, 'field_required'],
    [422, 'json_invalid'],
  ])
})
