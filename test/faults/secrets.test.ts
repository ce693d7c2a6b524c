import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/core/platform/logger.ts'
import type { Client } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { MEASURED } from '../harness/measured.ts'

let server: TestServer
let root: Person
let alice: Person
let log = ''

beforeAll(async () => {
  const sink = new Writable({ write: (chunk, _, done) => ((log += String(chunk)), done()) })
  server = await startServer({ log: createLogger('trace', sink) })
  root = await server.world.admin()
  alice = await server.world.user('alice')
  await server.world.repo({ owner: alice, name: 'r', autoInit: true })
})
afterAll(() => server.close())

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

/** Texts that only their owners may see, given to the server in every way there is. */
const SECRETS = {
  hook: 'hook-secret-7c1e',
  hookAuthorization: 'Bearer hook-authorization-7c1e',
  mirrorPassword: 'mirror-password-7c1e',
  migrateToken: 'migrate-token-7c1e',
  urlPassword: 'url-password-7c1e',
  wrongPassword: 'wrong-password-7c1e',
  wrongToken: '7c1e'.repeat(10),
  otp: '987123',
  newPassword: 'N3w-password-7c1e!',
} as const

async function useEverySecret(): Promise<string[]> {
  const { client } = alice
  const hook = {
    type: 'gitea',
    active: true,
    config: { url: `http://u:${SECRETS.urlPassword}@127.0.0.1:1/`, content_type: 'json', secret: SECRETS.hook },
    authorization_header: SECRETS.hookAuthorization,
  }
  for (const path of ['/repos/alice/r/hooks', '/user/hooks']) expect((await client.post(path, hook)).status).toBe(201)
  expect((await root.client.post('/admin/hooks', hook)).status).toBe(201)
  await client.post('/repos/alice/r/push_mirrors', {
    remote_address: 'http://127.0.0.1:1/x.git',
    remote_username: 'u',
    remote_password: SECRETS.mirrorPassword,
    interval: '8h',
  })
  await client.post('/repos/migrate', {
    clone_addr: `http://u:${SECRETS.urlPassword}@127.0.0.1:1/x.git`,
    repo_name: 'm1',
  })
  await client.post('/repos/migrate', {
    clone_addr: 'http://127.0.0.1:1/x.git',
    repo_name: 'm2',
    auth_username: 'u',
    auth_password: SECRETS.mirrorPassword,
    mirror: true,
  })
  await client.post('/repos/migrate', {
    clone_addr: 'http://127.0.0.1:1/x.git',
    repo_name: 'm3',
    auth_token: SECRETS.migrateToken,
  })
  const token = (await client.post('/users/alice/tokens', { name: 't', scopes: ['all'] })).json.sha1 as string
  const app = (
    await client.post('/user/applications/oauth2', {
      name: 'a',
      redirect_uris: ['http://127.0.0.1/'],
      confidential_client: true,
    })
  ).json.client_secret as string
  await server.anonymous.get('/user', basic('alice', SECRETS.wrongPassword))
  await server.anonymous.get('/user', { ...basic('alice', PASSWORD), 'x-forgejo-otp': SECRETS.otp })
  for (const query of [`token=${SECRETS.wrongToken}`, `access_token=${token}`])
    await server.anonymous.get(`/user?${query}`)
  for (const scheme of ['token', 'Bearer'])
    await server.anonymous.get('/user', { authorization: `${scheme} ${SECRETS.wrongToken}` })
  await server.anonymous.get('/user', { authorization: `token ${token}`, cookie: `session=${SECRETS.wrongToken}` })
  await fetch(`${server.url}/alice/r.git/info/refs?service=git-upload-pack`, { headers: basic(token, 'x-oauth-basic') })
  await fetch(`${server.url}/alice/r.git/info/refs?service=git-receive-pack`, {
    headers: basic('alice', SECRETS.wrongPassword),
  })
  await fetch(`${server.url}/login/oauth/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=authorization_code&code=${SECRETS.wrongToken}&client_id=x&client_secret=${app}`,
  })
  await fetch(`${server.url}/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `user_name=alice&password=${SECRETS.wrongPassword}`,
  })
  expect(
    (
      await root.client.patch('/admin/users/alice', {
        source_id: 0,
        login_name: 'alice',
        password: SECRETS.newPassword,
      })
    ).status,
  ).toBe(200)
  // Broken bodies are quoted back in errors: not into the log.
  await root.client.post('/admin/users', `{"password":"${SECRETS.newPassword}", broken`, {
    'content-type': 'application/json',
  })
  await server.drain()
  return [token, app]
}

describe('secrets', () => {
  it('are in no line of the log, whatever its level, and in no list', async () => {
    const made = await useEverySecret()
    const all = [...Object.values(SECRETS), PASSWORD, ...made]
    const encoded = all.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(`alice:${secret}`).toString('base64').replace(/=+$/, '').slice(10),
    ])
    expect(log.length).toBeGreaterThan(1_000)
    expect(encoded.filter((text) => log.includes(text))).toEqual([])

    const reader: Client = root.client
    const lists = server.app.operations.filter(
      ({ method, path }) => method === 'GET' && /^\/(?:admin|user|repos\/\{owner\}|users\/\{username\})/.test(path),
    )
    const places: Record<string, string> = { owner: 'alice', repo: 'r', username: 'alice', id: '1', name: 'x' }
    const shown: string[] = []
    for (const { id, path } of lists) {
      const answer = await reader
        .get(path.replace(/\{(\w+)[^}]*\}/g, (_, name: string) => places[name] ?? 'main'))
        .catch((error: Error) => ({ text: error.message }))
      // COMPAT: the record of a hook shows its authorization header to those who may set it
      // (test/delivery/hooks/hooks.test.ts).
      shown.push(
        ...all
          .filter(
            (secret) =>
              secret !== SECRETS.hookAuthorization && secret !== SECRETS.urlPassword && answer.text.includes(secret),
          )
          .map((secret) => `${id}: ${secret}`),
      )
    }
    expect(lists.length).toBeGreaterThan(50)
    expect(shown).toEqual([])
  })
})

describe('what response times and bodies reveal to anonymous callers', () => {
  const attempt = async (name: string, password: string): Promise<{ text: string; status: number; ms: number }> => {
    const start = performance.now()
    const { text, status } = await server.anonymous.get('/user', basic(name, password))
    return { text, status, ms: performance.now() - start }
  }

  let attempts = 0
  it('is the same for an account that is there and one that is not', MEASURED, async () => {
    const { name } = (await server.world.user(`carol${++attempts}`)).user
    const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
    const known: number[] = []
    const unknown: number[] = []
    for (let i = 0; i < 4; i++) {
      const right = await attempt(name, `wrong-${i}`)
      const nobody = await attempt(`nobody${attempts}-${i}`, `wrong-${i}`)
      expect([nobody.status, nobody.text]).toEqual([right.status, right.text])
      known.push(right.ms)
      unknown.push(nobody.ms)
    }
    expect(median(unknown)).toBeGreaterThan(median(known) / 3)
    expect(median(unknown)).toBeLessThan(median(known) * 3)
  })

  it('is the same for a private account and a missing one', async () => {
    await server.world.user('hermit', { visibility: 'private' })
    for (const path of [
      '/users/X',
      '/users/X/repos',
      '/users/X/followers',
      '/users/X/keys',
      '/users/X/starred',
      '/repos/X/r',
      '//X',
      '//X.keys',
      '//X.gpg',
      '//X/r',
      '//X/r.git/info/refs?service=git-upload-pack',
      '//avatars/X',
    ]) {
      const [hidden, missing] = await Promise.all(
        ['hermit', 'nobody'].map((name) => server.anonymous.get(path.replace('X', name))),
      )
      expect([hidden!.status, hidden!.text.replaceAll('hermit', 'nobody')], path).toEqual([
        missing!.status,
        missing!.text,
      ])
    }
  })
})
