import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const alice = await server.world.user('alice')
  await server.world.repo({ owner: alice, name: 'open', defaultBranch: 'trunk' })
  await server.world.repo({ owner: alice, name: 'secret', isPrivate: true, defaultBranch: 'hidden' })
})
afterAll(() => server.close())

describe('go get', () => {
  const get = async (path: string) => {
    const answer = await fetch(server.url + path)
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }

  it('gets the clone address of every path; private repositories look missing', async () => {
    const host = server.url.replace('http://', '')
    const open = await get('/alice/open/sub/dir?go-get=1')
    expect([open.status, open.type]).toEqual([200, 'text/html; charset=utf-8'])
    expect(open.text).toContain(`<meta name="go-import" content="${host}/alice/open git ${server.url}/alice/open.git">`)
    expect(open.text).toContain(
      `_ ${server.url}/alice/open/src/branch/trunk{/dir} ${server.url}/alice/open/src/branch/trunk{/dir}/{file}#L{line}`,
    )
    const [secret, missing] = [await get('/alice/secret?go-get=1'), await get('/alice/missing?go-get=1')]
    expect(secret.text.replaceAll('secret', 'missing')).toBe(missing.text)
    expect((await get('/%22%3E%3Cb/%3Cscript%3E?go-get=1')).text).not.toMatch(/<b[/>]|<script/)
  })

  it('other requests of these paths get a page or are not found', async () => {
    for (const [path, status] of [
      ['/alice/open', 200],
      ['/alice/open?go-get=0', 200],
      ['/alice/secret', 404],
      ['/alice/open/tree/x', 404],
    ] as const)
      expect([path, (await get(path)).status]).toEqual([path, status])
  })
})
