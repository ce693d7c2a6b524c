import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const FILES = 40

interface Entry {
  readonly name: string
  readonly url: string
  readonly last_commit_sha: string
}

describe('listings of directories with many entries', () => {
  let server: TestServer
  let alice: Person
  beforeAll(async () => {
    server = await startServer()
    alice = await server.world.user('alice')
    await addWide('wide')
  })
  afterAll(() => server.close())

  async function addWide(name: string): Promise<void> {
    await server.world.repo({ owner: alice, name, autoInit: true })
    const files = Array.from({ length: FILES }, (_, index) => write(`file${index}`))
    await commit(name, files)
  }

  const write = (path: string) => ({ operation: 'create', path, content: Buffer.from(path).toString('base64') })

  async function commit(name: string, files: readonly object[], more: object = {}): Promise<string> {
    const { status, json } = await alice.client.post(`/repos/alice/${name}/contents`, { files, message: 'm', ...more })
    expect(status).toBe(201)
    return json.commit.sha as string
  }

  async function list(path: string): Promise<Entry[]> {
    const first = await alice.client.get(path)
    const second = await alice.client.get(path)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    for (const header of ['content-type', 'cache-control', 'etag', 'content-length'])
      expect(second.headers.get(header), header).toBe(first.headers.get(header))
    return second.json as Entry[]
  }

  it('include the next commit, only on its branch', async () => {
    expect(await list('/repos/alice/wide/contents')).toHaveLength(FILES + 1)
    const sha = await commit('wide', [write('added')])
    await commit('wide', [write('other')], { new_branch: 'side' })
    const names = (entries: readonly Entry[]) => new Set(entries.map(({ name }) => name))
    const main = await list('/repos/alice/wide/contents')
    expect(main.find(({ name }) => name === 'added')?.last_commit_sha).toBe(sha)
    expect(names(main).has('other')).toBe(false)
    expect(names(await list('/repos/alice/wide/contents?ref=side')).has('other')).toBe(true)
  })

  it('contain the ref in URLs as it was sent', async () => {
    const [first] = await list('/repos/alice/wide/contents?ref=main')
    const { json } = await alice.client.get('/repos/alice/wide/branches/main')
    const [byId] = await list(`/repos/alice/wide/contents?ref=${json.commit.id}`)
    expect([first!.url, byId!.url].map((url) => url.split('?ref=')[1])).toEqual(['main', json.commit.id])
  })

  it('have the new name after a rename, and are deleted with the repository', async () => {
    await addWide('old')
    await list('/repos/alice/old/contents')
    expect((await alice.client.patch('/repos/alice/old', { name: 'new' })).status).toBe(200)
    for (const { url } of await list('/repos/alice/new/contents')) expect(url).toContain('/alice/new/contents/')
    expect((await alice.client.delete('/repos/alice/new')).status).toBe(204)
    expect((await alice.client.get('/repos/alice/new/contents')).status).toBe(404)
  })
})
