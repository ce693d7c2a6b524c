import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

let server: TestServer
let closed: TestServer
const origin = 'https://pages.example.org'
const path = '/alice/site.git/info/refs?service=git-upload-pack'

beforeAll(async () => {
  server = await startServer({ settings: { 'cors.enabled': 'true', 'cors.allow_domain': origin } })
  closed = await startServer()
  for (const { world } of [server, closed])
    await world.repo({ owner: await world.user('alice'), name: 'site', autoInit: true })
})
afterAll(() => Promise.all([server.close(), closed.close()]))

const preflight = (from: TestServer, to: string, headers = 'content-type,git-protocol,authorization') =>
  fetch(`${from.url}${to}`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
  })

describe('git clients in pages of other origins', () => {
  it('are allowed if the operator names them', async () => {
    const asked = await preflight(server, '/alice/site.git/git-upload-pack')
    expect([
      asked.status,
      asked.headers.get('access-control-allow-origin'),
      asked.headers.get('access-control-allow-headers'),
    ]).toEqual([200, origin, 'Content-Type, Git-Protocol, Authorization'])
    const refs = await fetch(`${server.url}${path}`, { headers: { origin } })
    expect([refs.status, refs.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    const body = '0014command=ls-refs\n0017object-format=sha1\n00010009peel\n0000'
    const answer = await fetch(`${server.url}/alice/site.git/git-upload-pack`, {
      method: 'POST',
      body,
      headers: { origin, 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request' },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    expect(await answer.text()).toContain('refs/heads/main')
    expect((await fetch(`${server.url}/alice/site.git/git-upload-pack`, { method: 'OPTIONS' })).status).toBe(200)
  })

  it('get no CORS headers for other origins, other headers, or when disabled', async () => {
    const other = await fetch(`${server.url}${path}`, { headers: { origin: 'https://evil.example.org' } })
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    expect(
      (await preflight(server, '/alice/site.git/git-upload-pack', 'x-anything')).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull()
    const off = await preflight(closed, '/alice/site.git/git-upload-pack')
    expect([off.status, off.headers.get('access-control-allow-origin')]).toEqual([404, null])
  })
})
