import { afterAll, beforeAll, expect, it } from 'vitest'
import { createMessageBuilders } from '../../../src/domains/delivery/hooks/payloads/message-builders.ts'
import type { Any, Client } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { type Receiver, startReceiver } from '../../harness/receiver.ts'
import { publishPackage } from '../../harness/packages.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { type Person, viewerOf } from '../../harness/world.ts'

const WORKFLOW = 'name: CI\non: workflow_dispatch\njobs:\n  a: { runs-on: x }\n'
const words = (text: string): string[] => text.split(' ')
const ALL = words(
  'create delete fork push wiki repository release package status workflow_run workflow_job issues pull_request',
)

/** A repository `r` in which every kind of event has happened, and the paths of what was created. */
interface Eventful {
  readonly owner: Person
  readonly paths: readonly string[]
}

/** Whether a delivery shows a deletion. NOTE: a branch and a tag are deleted before the rest of the events. */
const isDeletion = (name: string): boolean => name.endsWith(' deleted')

describeOnBoth('webhooks of what is deleted before its events are delivered', (kind) => {
  let server: TestServer
  let receiver: Receiver
  let wes: Person
  let root: Client

  beforeAll(async () => {
    server = await startServer({ on: kind })
    receiver = await startReceiver()
    wes = await server.world.user('wes')
    root = (await server.world.admin()).client
    const config = { url: receiver.url, content_type: 'json', is_system_webhook: 'true' }
    const made = await root.post('/admin/hooks', { type: 'gitea', active: true, events: ALL, config })
    expect(made.status).toBe(201)
  })
  afterAll(async () => {
    await server.close()
    await receiver.close()
  })

  /** What was delivered since the last call: the type and the action, with the members of the payload. */
  const delivered = async (): Promise<string[]> => {
    await server.drain()
    const got = (receiver.got as Receiver['got'][number][]).splice(0)
    return got
      .map(({ headers, body }) => {
        const payload = JSON.parse(body)
        const members = Object.keys(payload).filter((member) => payload[member] !== null)
        const commits = payload.commits === undefined ? '' : `${payload.commits.length} commits`
        return `${String(headers['x-gitea-event-type'])} (${members.join()}) ${commits} ${payload.action ?? ''}`
      })
      .toSorted()
  }

  /** The body of a request that must succeed. */
  const asked = async (answer: Promise<{ readonly status: number; readonly json: Any }>): Promise<Any> => {
    const { status, json } = await answer
    expect([200, 201, 202, 204, 205], JSON.stringify(json)).toContain(status)
    return json
  }

  async function createAll(name: string): Promise<Eventful> {
    const owner = await server.world.user(name)
    const { client } = owner
    const repo = await server.world.repo({ owner, name: 'r', autoInit: true })
    const at = `/repos/${name}/r`
    await asked(client.put(`${at}/collaborators/wes`, { permission: 'write' }))
    const write = (path: string, more: object = {}): Promise<Any> =>
      asked(client.post(`${at}/contents/${path}`, { content: 'eA==', message: 'one', ...more }))
    const label = await asked(client.post(`${at}/labels`, { name: 'bug', color: '#ff0000' }))
    const milestone = await asked(client.post(`${at}/milestones`, { title: 'one' }))
    const paths: string[] = []

    const change = async (path: string): Promise<void> => {
      await asked(client.patch(path, { title: 'After', assignees: ['wes'], milestone: milestone.id }))
      await asked(client.patch(path, { assignees: [], state: 'closed' }))
      await asked(client.patch(path, { state: 'open' }))
      await asked(client.put(`${path}/labels`, { labels: [label.id] }))
      await asked(client.delete(`${path}/labels`))
    }
    const comment = async (issue: string): Promise<void> => {
      const { id } = await asked(client.post(`${issue}/comments`, { body: 'first' }))
      await asked(client.patch(`${at}/issues/comments/${id}`, { body: 'last' }))
      paths.push(`${at}/issues/comments/${id}`)
    }

    const issue = await asked(client.post(`${at}/issues`, { title: 'Before' }))
    await change(`${at}/issues/${issue.number}`)
    await comment(`${at}/issues/${issue.number}`)
    paths.push(`${at}/issues/${issue.number}`)

    await write('a', { new_branch: 'side' })
    await asked(client.post(`${at}/branches`, { new_branch_name: 'base', old_branch_name: 'main' }))
    const pull = await asked(client.post(`${at}/pulls`, { title: 'Before', head: 'side', base: 'main' }))
    const pullPath = `${at}/pulls/${pull.number}`
    await change(`${at}/issues/${pull.number}`)
    await comment(`${at}/issues/${pull.number}`)
    await write('b', { branch: 'side' })
    await asked(client.post(`${pullPath}/requested_reviewers`, { reviewers: ['wes'] }))
    await asked(client.delete(`${pullPath}/requested_reviewers`, { reviewers: ['wes'] }))
    const comments = [{ path: 'a', new_position: 1, body: 'why?' }]
    for (const event of ['APPROVED', 'REQUEST_CHANGES', 'COMMENT']) {
      const more = event === 'COMMENT' ? { comments } : {}
      const review = await asked(wes.client.post(`${pullPath}/reviews`, { event, body: 'fine', ...more }))
      if (event === 'APPROVED') paths.push(`${pullPath}/reviews/${review.id}`)
      if (event !== 'COMMENT') continue
      const [first] = await asked(wes.client.get(`${pullPath}/reviews/${review.id}/comments`))
      await asked(client.post(`${pullPath}/comments/${first.id}/replies`, { body: 'because' }))
    }
    await asked(client.patch(pullPath, { base: 'base' }))
    paths.push(`${at}/issues/${pull.number}`)

    const release = await asked(client.post(`${at}/releases`, { tag_name: 'v1', name: 'One' }))
    await asked(client.patch(`${at}/releases/${release.id}`, { name: 'Uno' }))
    paths.push(`${at}/releases/${release.id}`, `${at}/tags/v1`)

    const page = { title: 'Page', content_base64: 'eA==' }
    await asked(client.post(`${at}/wiki/new`, page))
    await asked(client.patch(`${at}/wiki/page/Page`, { content_base64: 'eQ==' }))
    await asked(client.delete(`${at}/wiki/page/Page`))

    const { commit } = await write('.gitea/workflows/ci.yml', { content: Buffer.from(WORKFLOW).toString('base64') })
    await asked(client.post(`${at}/statuses/${commit.sha}`, { state: 'success', context: 'ci' }))
    await run(owner, repo, paths)
    await queue(repo, commit)

    await asked(wes.client.post(`${at}/forks`, { name: `of-${name}` }))
    await publishPackage(server.app, viewerOf(owner.user), owner.user, { type: 'npm', name: 'tool', version: '1.0' })
    await asked(client.post(`/packages/${name}/npm/tool/-/link/r`))
    paths.push(`/packages/${name}/npm/tool`)
    return { owner, paths }
  }

  type Repo = Awaited<ReturnType<TestServer['world']['repo']>>

  /** A run that ends, and begins again and ends. */
  async function run({ name, client }: Person, repo: Repo, paths: string[]): Promise<void> {
    const { database, events } = server.app
    const at = `/repos/${name}/r/actions`
    const dispatch = `${at}/workflows/ci.yml/dispatches?return_run_details=1`
    const { workflow_run_id: id } = await asked(client.post(dispatch, { ref: 'main' }))
    const [job] = (await asked(client.get(`${at}/runs/${id}/jobs`))).jobs
    const end = (): Promise<void> =>
      database.transaction(async (tx) => {
        await tx.updateTable('action_run').set({ status: 'failure' }).where('id', '=', id).execute()
        await tx.updateTable('action_job').set({ status: 'failure' }).where('run_id', '=', id).execute()
        const origin = { actor: { account: { id: 0 } }, repoId: repo.id, at: Date.now() }
        const status = { status: 'failure', run_status: 'failure' } as const
        const payload = { repo_id: repo.id, run_id: id, number: 1, workflow: 'ci.yml', job_id: job.id, ...status }
        await events.append(tx, 'action_job.changed', origin, payload)
      })
    await end()
    await asked(client.post(`${at}/runs/${id}/jobs/${job.id}/rerun`))
    await end()
    paths.push(`${at}/runs/${id}`)
  }

  /** A batch of the merge queue, which is sent as a push. */
  const queue = ({ id }: Repo, commit: Any): Promise<void> =>
    server.app.database.transaction((tx) =>
      server.app.events.append(
        tx,
        'merge_queue.built',
        { actor: { account: { id: 0 } }, repoId: id, at: Date.now() },
        {
          repo_id: id,
          branch: 'main',
          batch_id: 1,
          ref: 'refs/heads/queue/main',
          base_oid: commit.parents[0].sha,
          oid: commit.sha,
          numbers: [1],
        },
      ),
    )

  const deleteAll = async ({ paths }: Eventful): Promise<void> => {
    for (const path of paths) expect([path, (await root.delete(path)).status]).toEqual([path, 204])
  }
  const deleteRepo = ({ owner }: Eventful): Promise<Any> => asked(owner.client.delete(`/repos/${owner.name}/r`))
  const purge = ({ owner }: Eventful): Promise<Any> => asked(root.delete(`/admin/users/${owner.name}?purge=true`))

  /** Dispatches the events without building their messages. */
  const dispatch = async (): Promise<void> => {
    while (await server.app.background.events.dispatchSome());
  }

  it('get every event with the same payload as without the deletion', { timeout: 120_000 }, async () => {
    await delivered()
    const first = await createAll('first')
    const expected = await delivered()
    await deleteAll(first)
    const deletions = await delivered()
    await deleteRepo(first)
    const ofRepo = await delivered()
    expect(ofRepo).toEqual([expect.stringContaining('repository')])
    expect(deletions.filter(isDeletion).length).toBeGreaterThan(4)
    const happened = new Set((await rows(server, 'event')).map((event) => event.kind))
    expect([...createMessageBuilders(server.app).keys()].filter((it) => !happened.has(it))).toEqual([])

    const gone = await createAll('objects')
    await deleteAll(gone)
    expect(await delivered()).toEqual([...expected, ...deletions].toSorted())

    for (const [name, ready] of [
      ['pending', async () => {}],
      ['dispatched', dispatch],
    ] as const) {
      const repo = await createAll(`repo-${name}`)
      await ready()
      await deleteRepo(repo)
      expect(await delivered()).toEqual([...expected, ...ofRepo].toSorted())
      const account = await createAll(`account-${name}`)
      await ready()
      await purge(account)
      expect(await delivered()).toEqual([...expected, ...ofRepo].toSorted())
    }
  })
})
