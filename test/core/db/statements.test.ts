import { beforeAll, expect, it } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { statementsOf, withSteadySnapshot } from '../../harness/statements.ts'
import { comment, createIssue, issueWorld } from '../../issues/issue-world.ts'

interface Budget {
  readonly call: (client: Client) => Promise<{ readonly status: number }>
  readonly status: number
  /** At most what the request sends to the database; on PostgreSQL with the statements that begin and commit. */
  readonly sqlite: number
  readonly postgres: number
  /** The same when nothing was committed since; on PostgreSQL with the one that proves it. */
  readonly again?: number
}

const DESK = '/repos/ann/desk'
const get = (path: string, statements: number, again: number): Budget => ({
  call: (client) => client.get(path),
  status: 200,
  sqlite: statements,
  postgres: statements + 1,
  again,
})
const post = (path: string, body: object, statements: number): Budget => ({
  call: (client) => client.post(path, body),
  status: 201,
  sqlite: statements,
  postgres: statements + 1,
})

const PLAN = { labels: [1, 2], milestone: 1, assignees: ['wes', 'bob'] }

/** Right after a commit, when the cache is empty. */
const BUDGETS: Readonly<Record<string, Budget>> = {
  'the signed-in user': get('/user', 1, 0),
  'one repository': get(DESK, 3, 0),
  // One of the statements of each answer with issues finds their projects.
  'a list of issues': get(`${DESK}/issues`, 5, 3),
  'one issue': get(`${DESK}/issues/1`, 4, 1),
  'comments of an issue': get(`${DESK}/issues/1/comments`, 4, 1),
  'labels of a repository': get(`${DESK}/labels`, 3, 1),
  'a file': get(`${DESK}/contents/README.md`, 2, 0),
  branches: get(`${DESK}/branches`, 4, 0),
  commits: get(`${DESK}/commits`, 3, 0),
  'threads of notifications': get('/notifications', 2, 1),
  'creating an issue': post(`${DESK}/issues`, { title: 'Two', body: 'Some text' }, 9),
  'creating an issue with all that it may have': {
    ...post(`${DESK}/issues`, { ...PLAN, title: 'Two', body: 'For @bob' }, 29),
    postgres: 32,
  },
  'labelling an issue': { ...post(`${DESK}/issues/2/labels`, { labels: PLAN.labels }, 12), status: 200 },
  'planning an issue': {
    ...post('', {}, 28),
    postgres: 31,
    call: (client) => client.patch(`${DESK}/issues/2`, { milestone: 1, assignees: ['wes', 'bob'] }),
  },
  'creating a comment': post(`${DESK}/issues/1/comments`, { body: 'Some text' }, 9),
  'creating a comment with a reference': post(`${DESK}/issues/1/comments`, { body: 'See #2' }, 14),
  'replacing the labels of an issue': {
    ...post('', {}, 11),
    status: 200,
    call: (client) => client.put(`${DESK}/issues/1/labels`, { labels: PLAN.labels }),
  },
  'creating a label': post(`${DESK}/labels`, { name: 'bug', color: '#ff0000' }, 4),
  'editing an issue': {
    ...post('', {}, 15),
    call: (client) => client.patch(`${DESK}/issues/1`, { title: 'First', body: 'Other text' }),
  },
  'closing an issue': { ...post('', {}, 20), call: (client) => client.patch(`${DESK}/issues/1`, { state: 'closed' }) },
}

describeOnBoth('statements of one request', (kind) => {
  const given = issueWorld({ on: kind })
  let client: Client
  beforeAll(async () => {
    client = await given.ann.withToken('all')
    await createIssue(given.ann, { title: 'One', body: 'Some text' })
    await comment(given.ann, 1)
    await createIssue(given.ann, { title: 'For a plan' })
    for (const name of ['a', 'b']) await client.post(`${DESK}/labels`, { name, color: '#ff0000' })
    await client.post(`${DESK}/milestones`, { title: 'v1' })
    // Refs are read from git once.
    for (const { call, again } of Object.values(BUDGETS)) if (again !== undefined) await call(client)
  })

  const asked = async ({ call }: Budget): Promise<number> =>
    (await statementsOf(given.server.app.database, () => call(client))).length

  it.each(Object.entries(BUDGETS))('%s', async (_, budget) => {
    const { server, wes } = given
    await server.drain()
    await wes.client.patch('/user/settings', { location: `Oslo ${performance.now()}` })
    await server.drain()
    const sent = await statementsOf(server.app.database, async () =>
      expect((await budget.call(client)).status).toBe(budget.status),
    )
    expect(sent.length, sent.map((text, at) => `${at + 1}. ${text}`).join('\n')).toBeLessThanOrEqual(budget[kind])
    const { again } = budget
    if (again === undefined) return
    await withSteadySnapshot(server.app.database, async () => {
      await asked(budget)
      expect(await asked(budget)).toBeLessThanOrEqual(again)
    })
  })
})
