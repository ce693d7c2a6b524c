import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { createClient, type Client } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { insertJobs } from '../../src/domains/automation/actions/runs/job.store.ts'
import type { Person } from '../harness/world.ts'

describeOnBoth('the token of a job', (kind) => {
  let server: TestServer
  let ann: Person
  let repoId: number
  let count = 0

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    repoId = (await server.world.repo({ owner: ann, name: 'r', isPrivate: true })).id
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true })
    await server.world.repo({ owner: ann, name: 'open' })
    await ann.client.post('/repos/ann/r/contents/a.txt', { content: 'YQ==', message: 'Add a' })
    await ann.client.post('/repos/ann/r/issues', { title: 'One' })
  })
  afterAll(() => server.close())

  /** A client with the token of a running job. */
  async function jobWith(
    permissions = '',
    run: { event?: string; isFromFork?: boolean } = {},
  ): Promise<{
    readonly token: string
    readonly client: Client
    end(): Promise<unknown>
  }> {
    const token = (++count).toString(16).padStart(40, 'a')
    const factory = createActionsFactory(server.app)
    const { run: made } = await factory.run(repoId as never, { ...run, jobs: { a: { status: 'success' } } })
    const { database } = server.app
    if (run.isFromFork === true)
      await database.transaction((tx) =>
        tx.updateTable('action_run').set({ is_from_fork: 1 }).where('id', '=', made.id).execute(),
      )
    const job = { repo_id: repoId, run_id: made.id, key: 'b', name: 'b', permissions, status: 'running' as const }
    const [jobId] = await database.transaction((tx) => insertJobs(tx, [{ ...job, created_at: 1, updated_at: 1 }]))
    const taskId = await factory.task(repoId as never, jobId!, { status: 'running', token })
    return {
      token,
      client: createClient(server.url, server.app.operations, { authorization: `Bearer ${token}` }),
      end: () => database.transaction((tx) => server.app.taskChanges.end(tx, taskId, 'success')),
    }
  }
  const comment = async (client: Client): Promise<number> =>
    (await client.post('/repos/ann/r/issues/1/comments', { body: 'Hello' })).status
  const write = async (client: Client): Promise<number> =>
    (await client.post(`/repos/ann/r/contents/${++count}.txt`, { content: 'YQ==', message: 'Add' })).status
  const refs = async (token: string, repo: string, service = 'git-upload-pack'): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
    return (await fetch(`${server.url}/ann/${repo}/info/refs?service=${service}`, { headers: { authorization } }))
      .status
  }

  it('acts as the account of jobs, in its own repository', async () => {
    const { client, token } = await jobWith()
    expect((await client.get('/user')).json).toMatchObject({ id: -2, login: 'gitea-actions' })
    expect((await client.get('/repos/ann/r')).json).toMatchObject({ permissions: { admin: false, push: true } })
    expect([await write(client), await comment(client)]).toEqual([201, 201])
    const comments = (await ann.client.get('/repos/ann/r/issues/1/comments')).json
    expect(comments.at(-1).user.login).toBe('gitea-actions')
    expect([await refs(token, 'r'), await refs(token, 'r', 'git-receive-pack')]).toEqual([200, 200])
  })

  it('reaches nothing else that is not public', async () => {
    const { client, token } = await jobWith()
    const status = async (path: string) => (await client.get(path)).status
    expect([await status('/repos/ann/hidden'), await status('/repos/ann/open')]).toEqual([404, 200])
    expect([await refs(token, 'hidden'), await refs(token, 'open')]).toEqual([404, 200])
    const refused = [
      client.patch('/repos/ann/r', { description: 'x' }),
      client.delete('/repos/ann/r'),
      client.put('/repos/ann/r/actions/secrets/X', { data: 'x' }),
      client.post('/user/repos', { name: 'x' }),
      client.get('/admin/users'),
    ]
    for (const answer of await Promise.all(refused)) expect(answer.status).toBe(403)
    expect((await client.get('/repos/search')).json.data.map(({ name }: { name: string }) => name)).toEqual(['open'])
  })

  it('can read the run of its job, which no other token can', async () => {
    const { client, end } = await jobWith('{}', { event: 'pull_request' })
    const { status, json } = await client.get('/actions/run')
    expect([json.is_ref_deleted, json.ScheduleID]).toEqual([false, 0])
    expect([status, json]).toMatchObject([
      200,
      { event: 'pull_request', status: 'success', event_payload: '{}', repository: { full_name: 'ann/r' } },
    ])
    expect([json.html_url, json.commit_sha]).toEqual([`${server.url}/ann/r/actions/runs/${json.id}`, 'a'.repeat(40)])
    expect((await ann.client.get('/actions/run')).status).toBe(403)
    await end()
    expect((await client.get('/actions/run')).status).toBe(401)
  })

  it('is dead when the task has ended', async () => {
    const { client, token, end } = await jobWith()
    expect((await client.get('/user')).status).toBe(200)
    await end()
    expect([(await client.get('/user')).status, await refs(token, 'r')]).toEqual([401, 401])
  })

  describe('has the rights of the workflow', () => {
    it.each([
      ['{"contents":"read"}', [200, 403, 404]],
      ['{"issues":"write"}', [404, 403, 201]],
      ['{}', [404, 404, 404]],
    ])('%s', async (permissions, [read, push, note]) => {
      const { client, token } = await jobWith(permissions)
      const got = [await refs(token, 'r'), await write(client), await comment(client)]
      expect(got.map((status, index) => (status === [read, push, note][index] ? status : [status]))).toEqual([
        read,
        push,
        note,
      ])
    })

    it('which only read for the code of others, unless the base chose it', async () => {
      const fork = await jobWith('{"contents":"write"}', { event: 'pull_request', isFromFork: true })
      expect([await write(fork.client), await refs(fork.token, 'r')]).toEqual([403, 200])
      const base = await jobWith('{"contents":"write"}', { event: 'pull_request_target', isFromFork: true })
      expect(await write(base.client)).toBe(201)
    })
  })
})
