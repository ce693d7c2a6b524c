import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const workflow = (on: string): string =>
  `run-name: "\${{ github.event_name }} \${{ github.event.action }} \${{ github.ref_name }}"\non: ${on}\njobs: { a: { runs-on: x } }\n`

const PULL_TYPES =
  'opened, edited, closed, reopened, synchronize, assigned, unassigned, labeled, unlabeled, milestoned, demilestoned, review_requested, review_request_removed'

describeOnBoth('the types of events', (kind) => {
  let server: TestServer
  let [ann, bob] = [] as unknown as [Person, Person]
  let count = 0

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
  }, 60_000)
  afterAll(() => server.close())

  /** A repository whose one workflow starts by these events, with a way to see what each request has started. */
  async function repoWith(on: string) {
    const name = `e${++count}`
    await server.world.repo({ owner: ann, name, autoInit: true })
    const repo = `/repos/ann/${name}`
    const content = Buffer.from(workflow(on)).toString('base64')
    const put = { content, message: 'Add a workflow [skip ci]' }
    expect((await ann.client.post(`${repo}/contents/.gitea/workflows/a.yml`, put)).status).toBe(201)
    await server.drain()
    let known = 0
    async function started(
      method: 'post' | 'patch' | 'put' | 'delete',
      path: string,
      body?: object,
    ): Promise<string[]> {
      const answer = await ann.client[method](`${repo}${path}`, body as never)
      expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
      await server.drain()
      const { workflow_runs: runs } = (await ann.client.get(`${repo}/actions/runs?limit=50`)).json
      const titles = runs.map((run: Any) => run.display_title).toReversed()
      return titles.slice(known, (known = titles.length))
    }
    const { json: label } = await ann.client.post(`${repo}/labels`, { name: 'bug', color: '#ff0000' })
    const { json: milestone } = await ann.client.post(`${repo}/milestones`, { title: 'm' })
    await ann.client.put(`${repo}/collaborators/bob`, { permission: 'write' })
    return { repo, started, label: label.id as number, milestone: milestone.id as number }
  }

  it('of issues and comments start a run each, of the default branch', async () => {
    const { started, label, milestone } = await repoWith('[issues, issue_comment]')
    expect(await started('post', '/issues', { title: 'One' })).toEqual(['issues opened main'])
    expect(await started('patch', '/issues/1', { title: 'Two' })).toEqual(['issues edited main'])
    expect(await started('patch', '/issues/1', { assignees: ['bob'] })).toEqual(['issues assigned main'])
    expect(await started('patch', '/issues/1', { assignees: [] })).toEqual(['issues unassigned main'])
    expect(await started('post', '/issues/1/labels', { labels: [label] })).toEqual(['issues label_updated main'])
    expect(await started('delete', `/issues/1/labels/${label}`)).toEqual(['issues label_updated main'])
    expect(await started('patch', '/issues/1', { milestone })).toEqual(['issues milestoned main'])
    expect(await started('patch', '/issues/1', { milestone: 0 })).toEqual(['issues demilestoned main'])
    expect(await started('post', '/issues/1/comments', { body: 'a' })).toEqual(['issue_comment created main'])
    const { id } = (await ann.client.get(`/repos/ann/e${count}/issues/1/comments`)).json[0]
    expect(await started('patch', `/issues/comments/${id}`, { body: 'b' })).toEqual(['issue_comment edited main'])
    expect(await started('delete', `/issues/comments/${id}`)).toEqual(['issue_comment deleted main'])
    expect(await started('patch', '/issues/1', { state: 'closed' })).toEqual(['issues closed main'])
    expect(await started('patch', '/issues/1', { state: 'open' })).toEqual(['issues reopened main'])
    expect(await started('delete', '/issues/1')).toEqual(['issues deleted main'])
  })

  it('of pull requests start a run each, of the head', async () => {
    const { repo, started, label, milestone } = await repoWith(
      `{ pull_request: { types: [${PULL_TYPES}] }, issues: {}, issue_comment: {}, pull_request_review: {}, pull_request_review_comment: {} }`,
    )
    const file = (branch: object) => ({
      content: Buffer.from(`${++count}`).toString('base64'),
      message: 'x',
      ...branch,
    })
    await ann.client.post(`${repo}/contents/x`, file({ new_branch: 'work' }))
    const on = (action: string): string[] => [`pull_request ${action} 1/head`]
    expect(await started('post', '/pulls', { title: 'One', head: 'work', base: 'main' })).toEqual(on('opened'))
    expect(await started('patch', '/pulls/1', { title: 'Two' })).toEqual(on('edited'))
    expect(await started('post', '/contents/y', file({ branch: 'work' }))).toEqual(on('synchronized'))
    expect(await started('patch', '/pulls/1', { assignees: ['bob'] })).toEqual(on('assigned'))
    expect(await started('patch', '/pulls/1', { assignees: [] })).toEqual(on('unassigned'))
    expect(await started('post', '/issues/1/labels', { labels: [label] })).toEqual(on('label_updated'))
    expect(await started('delete', '/issues/1/labels')).toEqual(on('label_cleared'))
    expect(await started('patch', '/pulls/1', { milestone })).toEqual(on('milestoned'))
    expect(await started('patch', '/issues/1', { milestone: 0 })).toEqual(on('demilestoned'))
    const reviewers = { reviewers: ['bob'] }
    expect(await started('post', '/pulls/1/requested_reviewers', reviewers)).toEqual(on('review_requested'))
    expect(await started('delete', '/pulls/1/requested_reviewers', reviewers)).toEqual(on('review_request_removed'))
    expect(await started('post', '/issues/1/comments', { body: 'a' })).toEqual(['issue_comment created main'])
    const review = { event: 'COMMENT', body: 'c', comments: [{ path: 'x', body: 'd', new_position: 1 }] }
    expect(await started('post', '/pulls/1/reviews', review)).toEqual(['pull_request_review_comment reviewed 1/head'])
    const { id: reviewId } = (await ann.client.get(`${repo}/pulls/1/reviews`)).json[0]
    const [remark] = (await ann.client.get(`${repo}/pulls/1/reviews/${reviewId}/comments`)).json
    const edited = await started('patch', `/issues/comments/${remark.id}`, { body: 'e' })
    expect(edited).toEqual(['pull_request_review_comment edited 1/head'])
    const entries = (await ann.client.get(`${repo}/issues/1/timeline`)).json
    const { id: entryId } = entries.find(({ type }: Any) => type === 'review')
    expect(await started('patch', `/issues/comments/${entryId}`, { body: 'f' })).toEqual([
      'pull_request_review edited 1/head',
    ])
    const approval = await bob.client.post(`${repo}/pulls/1/reviews`, { event: 'APPROVED', body: 'ok' })
    expect(approval.status).toBe(200)
    await server.drain()
    expect(await started('patch', '/pulls/1', { state: 'closed' })).toEqual([
      'pull_request_review reviewed 1/head',
      'pull_request closed 1/head',
    ])
    expect(await started('patch', '/pulls/1', { state: 'open' })).toEqual(on('reopened'))
    expect(await started('post', '/pulls/1/merge', { Do: 'merge' })).toEqual(['pull_request closed main'])
  })

  it('of releases, refs, wiki pages, forks and packages start a run each', async () => {
    const { repo, started } = await repoWith('[release, create, delete, fork, gollum, registry_package]')
    expect((await started('post', '/releases', { tag_name: 'v1', name: 'v1' })).toSorted()).toEqual([
      'create  v1',
      'release published v1',
    ])
    const { id } = (await ann.client.get(`${repo}/releases`)).json[0]
    expect(await started('patch', `/releases/${id}`, { name: 'one' })).toEqual(['release updated v1'])
    expect(await started('delete', `/releases/${id}`)).toEqual(['release deleted v1'])
    expect(await started('post', '/branches', { new_branch_name: 'dev', old_branch_name: 'main' })).toEqual([
      'create  dev',
    ])
    expect(await started('delete', '/branches/dev')).toEqual(['delete  main'])
    const page = { title: 'Home', content_base64: Buffer.from('x').toString('base64') }
    expect(await started('post', '/wiki/new', page)).toEqual(['gollum created main'])
    await bob.client.post(`${repo}/forks`, { name: `f${count}` })
    await server.drain()
    const authorization = `token ${await ann.token('all')}`
    const path = `/api/packages/ann/generic/p${count}/1.0/a.bin`
    expect((await fetch(`${server.url}${path}`, { method: 'PUT', headers: { authorization }, body: 'x' })).status).toBe(
      201,
    )
    await ann.client.post(`/packages/ann/generic/p${count}/-/link/e${count}`)
    await fetch(`${server.url}/api/packages/ann/generic/p${count}/1.0`, {
      method: 'DELETE',
      headers: { authorization },
    })
    expect(await started('patch', '', { description: 'x' })).toEqual(['fork  main', 'registry_package deleted main'])
  })

  it('of requests from outside start the workflows of their type', async () => {
    const { repo, started } = await repoWith('{ repository_dispatch: { types: ["deploy*"] } }')
    const send = (type: string, payload?: object) =>
      started('post', '/dispatches', { event_type: type, client_payload: payload })
    expect(await send('build')).toEqual([])
    expect(await send('deploy-all', { to: ['a', 1, { b: true }] })).toEqual(['repository_dispatch deploy-all main'])
    const [run] = (await ann.client.get(`${repo}/actions/runs?event=repository_dispatch`)).json.workflow_runs
    const [row] = await rows(server, 'action_run', { id: run.id })
    expect(JSON.parse(row!.payload)).toMatchObject({
      action: 'deploy-all',
      branch: 'main',
      client_payload: { to: ['a', 1, { b: true }] },
      repository: { name: `e${count}` },
      sender: { login: 'ann' },
    })
    const refused = async (body: object, who = ann): Promise<number> =>
      (await who.client.post(`${repo}/dispatches`, body as never)).status
    expect(await refused({})).toBe(422)
    expect(await refused({ event_type: '' })).toBe(422)
    expect(await refused({ event_type: 'deploy', client_payload: { a: 'x'.repeat(70_000) } })).toBe(422)
    await ann.client.put(`${repo}/collaborators/bob`, { permission: 'read' })
    expect(await refused({ event_type: 'deploy' }, bob)).toBe(403)
  })

  it('of requests from outside start nothing when the credentials have lost the right to write', async () => {
    const { repo } = await repoWith('repository_dispatch')
    const send = async (token: string): Promise<number> => {
      const headers = { authorization: `token ${token}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: '{"event_type":"deploy"}' }
      return (await fetch(`${server.url}/api/v1${repo}/dispatches`, init)).status
    }
    expect(await send(await ann.token('public-only,write:repository'))).toBe(204)
    expect((await bob.client.post(`${repo}/dispatches`, { event_type: 'deploy' })).status).toBe(204)
    await ann.client.patch(repo, { private: true })
    await ann.client.put(`${repo}/collaborators/bob`, { permission: 'read' })
    await server.drain()
    expect((await ann.client.get(`${repo}/actions/runs`)).json.total_count).toBe(0)
  })
})
