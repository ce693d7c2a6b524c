import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionsFactory, MADE_AT } from '../harness/actions.ts'
import type { Any, Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { wireTime } from '../../src/core/platform/clock.ts'

const RUNS = '/repos/ann/r/actions/runs'
const OTHER_OID = 'b'.repeat(40)

describeOnBoth('runs', (kind) => {
  let server: TestServer
  let [ann, bob, mia, root] = [] as unknown as [Person, Person, Person, Person]
  let [repo, hidden, shared, closed] = [] as unknown as [Repo, Repo, Repo, Repo]
  /** The ids of the runs of `repo`, the oldest first. */
  const ids: number[] = []
  const elsewhere: Record<string, number> = {}

  beforeAll(async () => {
    server = await startServer({ on: kind })
    const { world } = server
    ;[ann, bob, mia, root] = [
      await world.user('ann'),
      await world.user('bob'),
      await world.user('mia'),
      await world.admin(),
    ]
    const guild = await world.org('guild', { owner: ann })
    repo = await world.repo({ owner: ann, name: 'r', autoInit: true })
    hidden = await world.repo({ owner: ann, name: 'hid', isPrivate: true })
    shared = await world.repo({ owner: guild.org, by: ann, name: 'shared' })
    closed = await world.repo({ owner: guild.org, by: ann, name: 'closed', isPrivate: true })
    await guild.team('hands', { units: ['repo.code'], members: [mia], repos: [shared] })
    const factory = createActionsFactory(server.app)
    const add = async (options: Parameters<typeof factory.run>[1]): Promise<void> => {
      ids.push((await factory.run(repo.id, options)).run.id)
    }
    await add({ actorId: ann.user.id, jobs: { a: { status: 'success' }, b: { status: 'skipped' } } })
    await add({
      actorId: bob.user.id,
      event: 'pull_request',
      ref: 'refs/pull/3/head',
      jobs: { a: { status: 'failure' } },
    })
    await add({ actorId: -2, ref: 'refs/heads/dev', oid: OTHER_OID, jobs: { a: { status: 'waiting' } } })
    await add({ actorId: 999_999, ref: 'refs/tags/v1', workflow: 'x.yaml', jobs: { a: { status: 'running' } } })
    await add({ actorId: ann.user.id, jobs: { a: { status: 'blocked' } } })
    await add({ actorId: ann.user.id, jobs: { a: { status: 'cancelled' }, b: { status: 'success' } } })
    for (const other of [hidden, shared, closed]) elsewhere[other.name] = (await factory.run(other.id)).run.id
  })
  afterAll(() => server.close())

  const listed = async (client: Client, path: string): Promise<number[]> =>
    (await client.get(path)).json.workflow_runs.map(({ id }: Any) => id)
  /** Positions in `ids` of what a list of the repository shows. */
  const found = async (query: string): Promise<number[]> =>
    (await listed(ann.client, `${RUNS}?${query}`)).map((id) => ids.indexOf(id))

  it('contain all members that clients read', async () => {
    const run = (await ann.client.get(`${RUNS}/${ids[0]}`)).json
    expect(run).toMatchObject({
      id: ids[0],
      url: `${server.url}/api/v1${RUNS}/${ids[0]}`,
      html_url: `${server.url}/ann/r/actions/runs/${ids[0]}`,
      display_title: 'A commit',
      path: 'ci.yml@refs/heads/main',
      event: 'push',
      run_attempt: 1,
      run_number: 1,
      repository_id: repo.id,
      head_sha: 'a'.repeat(40),
      head_branch: 'main',
      status: 'completed',
      conclusion: 'success',
      actor: { login: 'ann' },
      trigger_actor: { login: 'ann' },
      repository: { full_name: 'ann/r' },
      index_in_repo: 1,
      commit_sha: 'a'.repeat(40),
      prettyref: 'main',
      title: 'A commit',
      trigger_event: 'push',
      trigger_user: { login: 'ann' },
      workflow_id: 'ci.yml',
      need_approval: false,
      duration: 1_000_000_000_000,
      started_at: wireTime(MADE_AT.started),
      completed_at: wireTime(MADE_AT.stopped),
    })
    const list = (await ann.client.get(RUNS)).json
    expect(list.workflow_runs.at(-1)).toEqual(run)
    const [, pull, waiting, running, blocked, cancelled] = list.workflow_runs.toReversed()
    expect(pull).toMatchObject({ run_number: 2, conclusion: 'failure', actor: { login: 'bob' } })
    expect(pull).not.toHaveProperty('head_branch')
    expect(waiting).toMatchObject({ status: 'queued', actor: { id: -2 }, started_at: '1970-01-01T00:00:00Z' })
    expect(waiting).not.toHaveProperty('conclusion')
    expect(running).toMatchObject({ status: 'in_progress', head_branch: 'v1', path: 'x.yaml@refs/tags/v1' })
    expect(running.actor).toMatchObject({ id: -1, login: 'Ghost' })
    expect(blocked).toMatchObject({ status: 'waiting' })
    expect(cancelled).toMatchObject({ status: 'completed', conclusion: 'cancelled' })
  })

  it('are listed newest first, by pages with a total', async () => {
    expect(await found('')).toEqual([5, 4, 3, 2, 1, 0])
    const page = await ann.client.get(`${RUNS}?limit=4&page=2`)
    expect(page.json.workflow_runs.map(({ id }: Any) => ids.indexOf(id))).toEqual([1, 0])
    expect([page.json.total_count, page.headers.get('x-total-count')]).toEqual([6, '6'])
    expect(page.headers.get('link')).toContain('rel="prev"')
  })

  it.each([
    ['status=queued', [2]],
    ['status=pending', [4]],
    ['status=waiting', [4]],
    ['status=requested', [4]],
    ['status=action_required', [4]],
    ['status=in_progress', [3]],
    ['status=completed', [5, 1, 0]],
    ['status=success', [0]],
    ['status=failure', [1]],
    ['status=timed_out', [5]],
    ['status=cancelled', [5]],
    ['status=neutral', []],
    ['status=success&status=failure', [1, 0]],
    ['status=', [5, 4, 3, 2, 1, 0]],
    ['branch=main', [5, 4, 0]],
    ['branch=mai', []],
    ['branch=v1', []],
    ['event=pull_request', [1]],
    ['event=pull_request&event=push', [5, 4, 3, 2, 1, 0]],
    ['ref=refs/tags/v1', [3]],
    ['workflow_id=x.yaml', [3]],
    ['run_number=3', [2]],
    ['actor=BOB', [1]],
    ['actor=nobody', []],
    [`head_sha=${OTHER_OID}`, [2]],
    ['head_sha=aaaa', []],
    ['branch=main&actor=ann&status=success', [0]],
  ])('are filtered by %s', async (query, wanted) => {
    expect(await found(query)).toEqual(wanted)
  })

  it.each(['bogus', 'success&status=bogus', 'Success'])('refuses the status %s', async (word) => {
    for (const path of [RUNS, '/repos/ann/r/actions/jobs', `${RUNS}/${ids[0]}/jobs`]) {
      const answer = await ann.client.get(`${path}?status=${word}`)
      expect([answer.status, answer.json.message]).toEqual([400, `Invalid status ${word.split('=').at(-1)}`])
    }
  })

  it('refuses filters that are too long', async () => {
    for (const query of [`event=${'x'.repeat(256)}`, `branch=${'x'.repeat(4097)}`, 'status=success&'.repeat(101)])
      expect((await ann.client.get(`${RUNS}?${query}`)).status).toBe(422)
  })

  it('of accounts and of the site are those that the viewer may read', async () => {
    expect(await listed(ann.client, '/user/actions/runs')).toEqual([elsewhere['hid'], ...ids.toReversed()])
    expect(await listed(bob.client, '/user/actions/runs')).toEqual([])
    expect(await listed(ann.client, '/orgs/guild/actions/runs')).toEqual([elsewhere['closed'], elsewhere['shared']])
    expect(await listed(root.client, '/orgs/guild/actions/runs')).toEqual([elsewhere['closed'], elsewhere['shared']])
    expect((await listed(root.client, '/admin/actions/runs')).length).toBe(9)
    const publicly = await ann.withToken('public-only', 'read:user')
    expect(await listed(publicly, '/user/actions/runs')).toEqual(ids.toReversed())
  })

  it('of an organization show a member what its teams and the public may read', async () => {
    expect(await listed(mia.client, '/orgs/guild/actions/runs')).toEqual([elsewhere['shared']])
    const jobs = (await mia.client.get('/orgs/guild/actions/jobs')).json
    expect([jobs.total_count, jobs.jobs[0].run_id]).toEqual([1, elsewhere['shared']])
    const refused = await bob.client.get('/orgs/guild/actions/runs')
    expect([refused.status, refused.json.message]).toEqual([403, 'Must be an organization member'])
  })

  it('are not listed when the unit is disabled', async () => {
    expect((await ann.client.patch('/repos/ann/hid', { has_actions: false })).status).toBe(200)
    expect(await listed(ann.client, '/user/actions/runs')).toEqual(ids.toReversed())
    expect((await ann.client.patch('/repos/ann/hid', { has_actions: true })).status).toBe(200)
  })

  it.each([
    ['anonymous', 200, 401],
    ['a token without the scope', 403, 403],
    ['another user', 200, 200],
  ] as const)('are read by %s: %i one, %i lists', async (who, one, list) => {
    const client =
      who === 'anonymous' ? server.anonymous : who === 'another user' ? bob.client : await bob.withToken('read:issue')
    expect((await client.get(`${RUNS}/${ids[0]}`)).status).toBe(one)
    expect((await client.get(`${RUNS}/${ids[0]}/jobs`)).status).toBe(one)
    expect((await client.get('/repos/ann/r/actions/tasks')).status).toBe(one)
    expect((await client.get(RUNS)).status).toBe(list)
    expect((await client.get('/repos/ann/r/actions/jobs')).status).toBe(list)
  })

  it('of a hidden, another or a missing repository are not found', async () => {
    for (const path of ['', `/${elsewhere['hid']}`, `/${elsewhere['hid']}/jobs`])
      expect((await bob.client.get(`/repos/ann/hid/actions/runs${path}`)).status).toBe(404)
    for (const id of [elsewhere['hid'], 999_999, 'x', 0])
      expect((await ann.client.get(`${RUNS}/${id}`)).status).toBe(404)
    expect((await ann.client.get(`${RUNS}/999999/jobs`)).status).toBe(404)
    for (const id of ['x', '0', '-1', '1.5', '99999999999999999999']) {
      const answer = await ann.client.get(`${RUNS}/${id}/jobs`)
      expect([answer.status, answer.json.message]).toEqual([400, 'runID must be a positive integer'])
    }
  })

  describe('of a repository whose unit is disabled', () => {
    it('are refused to readers', async () => {
      await ann.client.patch('/repos/ann/r', { has_actions: false })
      expect((await bob.client.get(`${RUNS}/${ids[0]}`)).status).toBe(403)
      expect((await server.anonymous.get('/repos/ann/r/actions/tasks')).status).toBe(403)
      await ann.client.patch('/repos/ann/r', { has_actions: true })
      expect((await bob.client.get(`${RUNS}/${ids[0]}`)).status).toBe(200)
    })
  })
})
