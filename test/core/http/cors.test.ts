import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

const ORIGIN = 'https://app.example.org'
let open: TestServer
let named: TestServer
let closed: TestServer

beforeAll(async () => {
  open = await startServer({ settings: { 'cors.enabled': 'true' } })
  named = await startServer({
    settings: {
      'cors.enabled': 'true',
      'cors.allow_domain': `https://other.example, ${ORIGIN}`,
      'cors.allow_credentials': 'true',
      'cors.methods': 'GET,POST',
    },
  })
  closed = await startServer()
})
afterAll(() => Promise.all([open.close(), named.close(), closed.close()]))

const ask = (
  server: TestServer,
  path: string,
  { method = 'GET', origin = ORIGIN, headers }: { method?: string; origin?: string; headers?: string } = {},
) =>
  fetch(`${server.url}/api/v1${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      ...(headers && { 'access-control-request-headers': headers }),
    },
  })
const allowHeaders = (answer: Response): (string | null)[] =>
  ['origin', 'methods', 'headers', 'credentials']
    .map((name) => answer.headers.get(`access-control-allow-${name}`))
    .concat(answer.headers.get('access-control-max-age'))
const VARY = 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'

describe('preflights', () => {
  it('say what is allowed, on any path of the API, without credentials', async () => {
    for (const path of ['/version', '/user', '/repos/nobody/nothing', '/nowhere']) {
      const answer = await ask(open, path, {
        method: 'PATCH',
        headers: 'authorization, x-gitea-otp,X-FORGEJO-OTP,content-TYPE',
      })
      expect([answer.status, await answer.text(), ...allowHeaders(answer)], path).toEqual([
        200,
        '',
        '*',
        'PATCH',
        'Authorization, X-Gitea-Otp, X-Forgejo-Otp, Content-Type',
        null,
        '600',
      ])
      expect([answer.headers.get('vary'), answer.headers.get('x-content-type-options')]).toEqual([VARY, 'nosniff'])
    }
  })

  it('get nothing but Vary for other origins, headers and methods', async () => {
    for (const answer of [
      await ask(open, '/user', { headers: 'x-anything' }),
      await ask(named, '/user', { origin: 'https://evil.example' }),
      await ask(named, '/user', { method: 'DELETE' }),
    ]) {
      expect([answer.status, answer.headers.get('vary'), ...allowHeaders(answer)]).toEqual([
        200,
        VARY,
        null,
        null,
        null,
        null,
        null,
      ])
    }
    expect(allowHeaders(await ask(named, '/user', { method: 'POST' }))).toEqual([ORIGIN, 'POST', null, 'true', '600'])
  })

  it('are 405 where it is off, and so is OPTIONS without their headers', async () => {
    expect((await ask(closed, '/user')).status).toBe(405)
    expect((await ask(closed, '/nowhere')).status).toBe(404)
    const plain = await fetch(`${open.url}/api/v1/user`, { method: 'OPTIONS' })
    expect([plain.status, await plain.text(), plain.headers.get('allow')]).toEqual([405, '', 'GET'])
  })
})

describe('answers to other origins', () => {
  it('carry the origin, refusals and misses too', async () => {
    for (const [path, status] of [
      ['/version', 200],
      ['/user', 401],
      ['/users/nobody', 404],
      ['/nowhere', 404],
    ] as const) {
      const answer = await fetch(`${open.url}/api/v1${path}`, { headers: { origin: ORIGIN } })
      expect(
        [answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')],
        path,
      ).toEqual([status, '*', 'Origin'])
    }
    const other = await fetch(`${named.url}/api/v1/version`, { headers: { origin: 'https://evil.example' } })
    expect([other.status, other.headers.get('access-control-allow-origin'), other.headers.get('vary')]).toEqual([
      200,
      null,
      'Origin',
    ])
    const silent = await fetch(`${closed.url}/api/v1/version`, { headers: { origin: ORIGIN } })
    expect([silent.headers.get('access-control-allow-origin'), silent.headers.get('vary')]).toEqual([null, null])
  })
})
