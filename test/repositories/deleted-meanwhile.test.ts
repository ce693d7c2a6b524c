import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client, Response } from '../harness/client.ts'
import { newKey } from '../harness/ssh-keys.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { describeOnBoth } from '../harness/databases.ts'
import type { Person } from '../harness/world.ts'

const content = 'eA=='

/** Requests that may be running during the deletion of the repository. */
const DEEDS: Readonly<Record<string, (client: Client, path: string) => Promise<Response>>> = {
  'read a file': (client, path) => client.get(`${path}/contents/README.md`),
  'list commits': (client, path) => client.get(`${path}/commits`),
  'list branches': (client, path) => client.get(`${path}/branches`),
  'write a file': (client, path) => client.post(`${path}/contents/new`, { content }),
  'make a branch': (client, path) => client.post(`${path}/branches`, { new_branch_name: 'b' }),
  'make a tag': (client, path) => client.post(`${path}/tags`, { tag_name: 't' }),
  'make a release': (client, path) => client.post(`${path}/releases`, { tag_name: 'v1' }),
  'write a wiki': (client, path) => client.post(`${path}/wiki/new`, { title: 'Home', content_base64: content }),
  fork: (client, path) => client.post(`${path}/forks`, { name: 'fork' }),
  generate: (client, path) =>
    client.post(`${path}/generate`, { owner: 'ann', name: 'copy', git_content: true, topics: true }),
  'add a collaborator': (client, path) => client.put(`${path}/collaborators/bob`, {}),
  'protect a branch': (client, path) => client.post(`${path}/branch_protections`, { rule_name: 'main' }),
  'protect tags': (client, path) =>
    client.post(`${path}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['ann'] }),
  'add a key': (client, path) => client.post(`${path}/keys`, { title: 'k', key: newKey() }),
  watch: (client, path) => client.put(`${path}/subscription`),
  star: (client, path) => client.put(`/user/starred${path.slice('/repos'.length)}`),
  'give topics': (client, path) => client.put(`${path}/topics`, { topics: ['a'] }),
  edit: (client, path) => client.patch(path, { description: 'new' }),
  transfer: (client, path) => client.post(`${path}/transfer`, { new_owner: 'bob' }),
  'make a label': (client, path) => client.post(`${path}/labels`, { name: 'l', color: '#fff' }),
  'make a milestone': (client, path) => client.post(`${path}/milestones`, { title: 'm' }),
  'make an issue': (client, path) => client.post(`${path}/issues`, { title: 'i' }),
}

describeOnBoth('a repository that is deleted in the middle of a request', (on) => {
  let server: TestServer
  let ann: Person
  beforeAll(async () => {
    server = await startServer({ on })
    ann = await server.world.user('ann')
    await server.world.user('bob')
  })
  afterAll(() => server.close())

  /** Deletes the repository, with its files, after the next request has loaded it. */
  function deleteOnceFound(path: string): void {
    const { repos } = server.app
    const { getInView } = repos
    Object.assign(repos, {
      getInView: async (...args: Parameters<typeof getInView>) => {
        Object.assign(repos, { getInView })
        const found = await getInView(...args)
        expect((await ann.client.delete(path)).status).toBe(204)
        await server.drain()
        return found
      },
    })
  }

  it.each(Object.keys(DEEDS))('is 404 for a concurrent request to %s', async (deed) => {
    const name = `gone-${deed.replaceAll(' ', '-')}`
    await server.world.repo({ owner: ann, name, autoInit: true, isTemplate: true, defaultBranch: 'main' })
    deleteOnceFound(`/repos/ann/${name}`)
    const answer = await DEEDS[deed]!(ann.client, `/repos/ann/${name}`)
    expect([answer.status, answer.text]).toEqual([404, '{}\n'])
  })

  it('leaves no rows or files', async () => {
    let stored = 0
    for await (const folder of server.app.git.listStored()) stored += folder.length
    expect(stored).toBe(0)
    expect((await ann.client.get('/user/repos')).json).toEqual([])
  })
})
