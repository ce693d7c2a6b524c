import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let alice: Person
beforeAll(async () => {
  server = await startServer()
  alice = await server.world.user('alice')
  await server.world.repo({ owner: alice, name: 'code', autoInit: true })
})
afterAll(() => server.close())

const tagOf = async (path: string): Promise<string> => {
  const answer = await alice.client.get(path)
  expect(answer.status, path).toBe(200)
  expect(answer.headers.get('etag'), path).toMatch(/^(?:W\/)?"[\w.-]+"$/)
  return answer.headers.get('etag')!
}
const again = (path: string, tag: string) => alice.client.get(path, { 'if-none-match': tag })

describe('conditional requests', () => {
  it.each([
    '/user',
    '/repos/alice/code',
    '/repos/alice/code/branches',
    '/repos/alice/code/contents',
    '/repos/alice/code/contents/README.md',
    '/repos/alice/code/git/trees/main',
    '/repos/alice/code/commits',
    '/version',
    '/repos/alice/code/raw/README.md',
  ])('%s: the same answer is not sent twice', async (path) => {
    const tag = await tagOf(path)
    for (const sent of [tag, `"other", ${tag}`, '*']) {
      const answer = await again(path, sent)
      expect([answer.status, answer.text, answer.headers.get('etag')], sent).toEqual([304, '', tag])
    }
    expect((await again(path, '"other"')).status).toBe(200)
  })

  it('a change is always seen', async () => {
    const contents = '/repos/alice/code/contents/README.md'
    const paths = [
      '/repos/alice/code',
      '/repos/alice/code/contents',
      contents,
      '/repos/alice/code/git/trees/main',
      '/repos/alice/code/commits',
    ]
    const before = await Promise.all(paths.map(tagOf))
    const { json } = await alice.client.get(contents)
    expect(
      (
        await alice.client.put(contents, {
          content: Buffer.from('new').toString('base64'),
          sha: json.sha,
          message: 'm',
        })
      ).status,
    ).toBe(200)
    await server.drain()
    expect((await alice.client.patch('/repos/alice/code', { description: 'changed' })).status).toBe(200)
    for (const [index, path] of paths.entries()) expect((await again(path, before[index]!)).status, path).toBe(200)
  })

  it('links follow a rename, so the old copy is no longer good', async () => {
    await server.world.repo({ owner: alice, name: 'before', autoInit: true })
    const tag = await tagOf('/repos/alice/before/contents/README.md')
    await alice.client.patch('/repos/alice/before', { name: 'after' })
    const answer = await again('/repos/alice/after/contents/README.md', tag)
    expect([answer.status, answer.json.url]).toEqual([200, expect.stringContaining('/alice/after/')])
  })

  it('what is missing or hidden stays so, whatever the client says to have', async () => {
    const bob = await server.world.user('bob')
    await server.world.repo({ owner: alice, name: 'hidden', autoInit: true, isPrivate: true })
    const tag = await tagOf('/repos/alice/hidden/contents/README.md')
    for (const sent of [tag, '*']) {
      expect((await bob.client.get('/repos/alice/hidden/contents/README.md', { 'if-none-match': sent })).status).toBe(
        404,
      )
      expect((await again('/repos/alice/hidden/contents/none', sent)).status).toBe(404)
    }
  })

  it('answers cached contents without a reader of the repository', async () => {
    const repo = await server.world.repo({ owner: alice, name: 'quiet', autoInit: true })
    const path = '/repos/alice/quiet/contents/README.md'
    const tag = await tagOf(path)
    const before = server.app.git.readerPids(repo.storage)
    expect((await again(path, tag)).status).toBe(304)
    expect(server.app.git.readerPids(repo.storage)).toEqual(before)
  })

  it('writes have no tag', async () => {
    const made = await alice.client.post('/user/repos', { name: 'fresh' })
    expect([made.status, made.headers.get('etag')]).toEqual([201, null])
  })
})
