import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const job = (on: string, more = ''): string => `on: ${on}\njobs:\n  a:\n    runs-on: x\n    ${more}\n`
const FILES = {
  broken: 'on: [push\njobs',
  cycle: job('[push, issues]', 'needs: a'),
  issues: job('issues', 'needs: a'),
  named: job('push', 'name: "${{ fromJSON(github.ref) }}"'),
  off: job('push', 'needs: a'),
  other: job('{ push: { branches: [other] } }', 'name: "${{ fromJSON(github.ref) }}"'),
  pull: job('pull_request', 'needs: a'),
  target: job('pull_request_target', 'needs: a'),
  well: job('push', 'steps: []'),
}

describeOnBoth('invalid workflows', (kind) => {
  let server: TestServer
  let ann: Person
  const repo = '/repos/ann/r'

  const commit = async (names: readonly (keyof typeof FILES)[], message: string, branch: object): Promise<string> => {
    const files = names.map((name) => ({
      operation: 'create',
      path: `.gitea/workflows/${name}.yml`,
      content: Buffer.from(FILES[name]).toString('base64'),
    }))
    const answer = await ann.client.post(`${repo}/contents`, { files, message, ...branch })
    expect(answer.status).toBe(201)
    await server.drain()
    return answer.json.commit.sha
  }
  const errorsOf = async (sha: string): Promise<string[]> =>
    (await ann.client.get(`${repo}/commits/${sha}/statuses?sort=leastindex&limit=50`)).json
      .filter(({ status }: Any) => status === 'error')
      .map(({ context, description }: Any) => `${context}: ${description}`)
      .toSorted()

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    await server.world.repo({ owner: ann, name: 'r', autoInit: true })
  }, 60_000)
  afterAll(() => server.close())

  it('are named by a status of the pushed commit, once each, with line and reason', async () => {
    await commit(['off'], 'Add [skip ci]', { branch: 'main' })
    expect((await ann.client.put(`${repo}/actions/workflows/off.yml/disable`)).status).toBe(204)
    const names = ['broken', 'cycle', 'issues', 'named', 'other', 'pull', 'target', 'well'] as const
    const sha = await commit(names, 'Add', { branch: 'main' })
    const wanted = [
      expect.stringMatching(/^\.gitea\/workflows\/broken\.yml: Invalid workflow: line 2: /),
      '.gitea/workflows/cycle.yml: Invalid workflow: line 5: jobs.a.needs: leads back to the job itself',
      expect.stringMatching(/^\.gitea\/workflows\/named\.yml: Invalid workflow: line 5: jobs\.a\.name: /),
    ]
    expect(await errorsOf(sha)).toEqual(wanted)
    const { json } = await ann.client.get(`${repo}/commits/${sha}/statuses`)
    const cycle = json.find(({ context }: Any) => context.endsWith('cycle.yml'))
    expect(cycle.target_url).toMatch(new RegExp(`/ann/r/src/commit/${sha}/\\.gitea/workflows/cycle\\.yml$`))
    await ann.client.post(`${repo}/tags`, { tag_name: 'v1', target: sha })
    await ann.client.post(`${repo}/issues`, { title: 'An issue' })
    await server.drain()
    expect(await errorsOf(sha)).toEqual(wanted)
  })

  it('are named by a status of the head of a new pull request', async () => {
    const from = { base: 'main', head: 'topic', title: 'Topic' }
    const content = Buffer.from('x').toString('base64')
    const written = await ann.client.post(`${repo}/contents/x`, { content, message: 'x', new_branch: 'topic' })
    const { sha } = written.json.commit
    await server.drain()
    const pushed = await errorsOf(sha)
    expect(pushed.map((text) => text.split(': ')[0])).toEqual(
      ['broken', 'cycle', 'named'].map((name) => `.gitea/workflows/${name}.yml`),
    )
    const pull = await ann.client.post(`${repo}/pulls`, from)
    expect(pull.status).toBe(201)
    await server.drain()
    const proposed = await errorsOf(sha)
    expect(proposed.filter((text) => !pushed.includes(text))).toEqual([
      '.gitea/workflows/pull.yml: Invalid workflow: line 5: jobs.a.needs: leads back to the job itself',
    ])
    await ann.client.patch(`${repo}/pulls/${pull.json.number}`, { title: 'Other' })
    await server.drain()
    expect(await errorsOf(sha)).toEqual(proposed)
  })
})
