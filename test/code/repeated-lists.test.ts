import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { oracle } from '../core/git/fixture.ts'
import { queriesOf } from '../harness/queries.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import type { Person } from '../harness/world.ts'

describeOnBoth('lists of commits and branches', (kind) => {
  let server: TestServer
  let ann: Person
  let bob: Person
  let repo: Repo
  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    repo = await server.world.repo({ owner: ann, name: 'app', autoInit: true, defaultBranch: 'main' })
  })
  afterAll(() => server.close())

  const COMMITS = '/repos/ann/app/commits?limit=20'
  const BRANCHES = '/repos/ann/app/branches?limit=20'

  /** Two requests of bob, whose responses must be equal. */
  async function get(path: string) {
    const [first, second] = [await bob.client.get(path), await bob.client.get(path)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    for (const header of ['etag', 'x-total-count', 'x-total', 'x-hasmore', 'access-control-expose-headers'])
      expect(second.headers.get(header), header).toBe(first.headers.get(header))
    return first.json
  }

  async function write(path: string, more: object = {}): Promise<string> {
    const content = Buffer.from(path).toString('base64')
    const { status, json } = await ann.client.post(`/repos/ann/app/contents/${path}`, { content, ...more })
    expect(status).toBe(201)
    return json.commit.sha as string
  }

  it('show each commit, each branch and each reset of a branch at once', async () => {
    const first = (await get(COMMITS))[0].sha
    const second = await write('second.txt')
    expect((await get(COMMITS)).map((commit: { sha: string }) => commit.sha)).toEqual([second, first])
    await write('third.txt', { new_branch: 'side' })
    expect((await get(BRANCHES)).map((branch: { name: string }) => branch.name).toSorted()).toEqual(['main', 'side'])
    const { path } = server.app.git.open(repo)
    oracle(path, ['update-ref', 'refs/heads/main', first])
    expect((await get(COMMITS)).map((commit: { sha: string }) => commit.sha)).toEqual([first])
    oracle(path, ['update-ref', 'refs/heads/main', second])
  })

  it('differ by path, page and parts', async () => {
    const shas = async (more: string) => (await get(COMMITS + more)).map((commit: { sha: string }) => commit.sha)
    const [second, first] = await shas('')
    expect(await shas('&path=second.txt')).toEqual([second])
    expect(await shas('&sha=side')).toHaveLength(3)
    expect(await shas('&sha=side&not=main')).toHaveLength(1)
    expect((await get('/repos/ann/app/commits?limit=1&page=2'))[0].sha).toBe(first)
    const parts = async (more: string) => {
      const [{ stats, files }] = await get(COMMITS + more)
      return [stats !== null, files !== null]
    }
    expect(await parts('')).toEqual([true, true])
    expect(await parts('&stat=false')).toEqual([false, true])
    expect(await parts('&files=false')).toEqual([true, false])
  })

  it('show the account of the author address once it exists, and the current name of the repository', async () => {
    const email = 'late@example.test'
    await write('late.txt', { author: { name: 'Late', email }, committer: { name: 'Late', email } })
    expect((await get(COMMITS))[0]).toMatchObject({ author: null, commit: { author: { name: 'Late' } } })
    expect((await get(BRANCHES))[0]).toMatchObject({ commit: { author: { username: '' } } })
    await server.world.user('late', { email })
    expect((await get(COMMITS))[0].author).toMatchObject({ login: 'late' })
    expect((await get(BRANCHES))[0]).toMatchObject({ commit: { author: { username: 'late' } } })
    expect((await ann.client.patch('/repos/ann/app', { name: 'renamed' })).status).toBe(200)
    expect((await get('/repos/ann/renamed/commits?limit=20'))[0].html_url).toContain('/ann/renamed/commit/')
    expect((await ann.client.patch('/repos/ann/renamed', { name: 'app' })).status).toBe(200)
  })

  it('show each viewer its own permissions, and each rule at once', async () => {
    const mayPush = async (person: Person) => (await person.client.get(BRANCHES)).json[0].user_can_push
    expect([await mayPush(ann), await mayPush(bob), await mayPush(ann)]).toEqual([true, false, true])
    expect((await get(BRANCHES))[0].protected).toBe(false)
    expect((await ann.client.post('/repos/ann/app/branch_protections', { rule_name: '*' })).status).toBe(201)
    expect((await get(BRANCHES))[0].protected).toBe(true)
    await ann.client.put('/repos/ann/app/collaborators/bob', { permission: 'write' })
    expect((await ann.client.delete('/repos/ann/app/branch_protections/*')).status).toBe(204)
    expect(await mayPush(bob)).toBe(true)
  })

  it('load authors and rules from the database only after a commit', async () => {
    const ask = async (): Promise<string[]> => {
      const asked = await queriesOf(server.app.database, async () => {
        await bob.client.get(COMMITS)
        await bob.client.get(BRANCHES)
      })
      return ['email_address', 'branch_rule'].filter((table) => asked.some(({ sql }) => sql.includes(table)))
    }
    await ann.client.patch('/repos/ann/app', { description: 'Changed' })
    expect(await ask()).toEqual(['email_address', 'branch_rule'])
    expect(await ask()).toEqual([])
  })
})
