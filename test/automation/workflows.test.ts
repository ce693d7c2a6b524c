import { afterAll, beforeAll, expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import type { Any, Client } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const ROOT = '/repos/ann/r/actions/workflows'
const CI = `name: Build and test
run-name: By hand
on:
  workflow_dispatch:
    inputs:
      target: { required: true }
      level: { default: 3 }
env: { A: b }
jobs:
  build:
    runs-on: [ubuntu, x64]
    steps: [{ run: make }]
  test:
    name: Test it
    needs: build
    if: always()
    runs-on: ubuntu
    steps: [{ run: 'echo \${{ inputs.target }}' }]
`
const TYPED = `on:
  workflow_dispatch:
    inputs:
      text: { default: x, type: string }
      debug: { type: boolean, default: false }
      count: { type: number, default: 2.5 }
      color: { type: choice, options: [red, 7], default: red }
      place: { type: environment }
      wrong: { type: choice, options: [a] }
jobs: { a: { runs-on: x } }
`
const on = (trigger: string, job = 'runs-on: ubuntu'): string => `on: ${trigger}\njobs:\n  a:\n    ${job}\n`

describeOnBoth('workflows', (kind) => {
  let server: TestServer
  let [ann, reader] = [] as unknown as [Person, Person]

  const write = async (path: string, text: string, more: object = {}): Promise<void> => {
    const content = Buffer.from(text).toString('base64')
    const answer = await ann.client.post(`/repos/ann/r/contents/${path}`, { content, message: path, ...more })
    expect(answer.status).toBe(201)
  }
  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, reader] = [await server.world.user('ann'), await server.world.user('reader')]
    await server.world.repo({ owner: ann, name: 'r', autoInit: true })
    await ann.client.put('/repos/ann/r/collaborators/reader', { permission: 'read' })
    await write('.github/workflows/ignored.yml', on('workflow_dispatch'))
    await write('.gitea/workflows/ci.yml', CI)
    await write('.gitea/workflows/deep/push.yaml', on('push'))
    await write('.gitea/workflows/notes.txt', 'no workflow')
    await write('.gitea/workflows/broken.yml', 'on: [push\njobs')
    await write('.gitea/workflows/name.yml', on('workflow_dispatch', 'name: "${{ fromJSON(inputs.x) }}"'))
    await write('.gitea/workflows/typed.yml', TYPED)
    await write('.gitea/workflows/on.yml', on('{ workflow_dispatch: { inputs: { a: { default: "${{ vars.A }}" } } } }'))
    await write('.gitea/workflows/cycle.yml', on('workflow_dispatch', 'needs: a'))
    await write('.gitea/workflows/dev.yml', on('[push, workflow_dispatch]'), { new_branch: 'dev' })
  }, 60_000)
  afterAll(() => server.close())

  const dispatch = (file: string, body: object, query = ''): Promise<Any> =>
    ann.client.post(`${ROOT}/${file}/dispatches${query}`, body)
  const WANTED = { ref: 'main', inputs: { target: 'prod' } }

  it('are the files of the first folder that the default branch has', async () => {
    const { workflows, total_count: total } = (await ann.client.get(ROOT)).json
    expect(workflows.map(({ id, name, path }: Any) => [id, name, path])).toEqual([
      ['broken.yml', 'broken.yml', '.gitea/workflows/broken.yml'],
      ['ci.yml', 'Build and test', '.gitea/workflows/ci.yml'],
      ['cycle.yml', 'cycle.yml', '.gitea/workflows/cycle.yml'],
      ['push.yaml', 'push.yaml', '.gitea/workflows/deep/push.yaml'],
      ['name.yml', 'name.yml', '.gitea/workflows/name.yml'],
      ['on.yml', 'on.yml', '.gitea/workflows/on.yml'],
      ['typed.yml', 'typed.yml', '.gitea/workflows/typed.yml'],
    ])
    expect(total).toBe(7)
    const one = (await ann.client.get(`${ROOT}/ci.yml`)).json
    expect(one).toEqual(workflows[1])
    expect(one).toMatchObject({
      state: 'active',
      url: `${server.url}/api/v1${ROOT}/ci.yml`,
      html_url: `${server.url}/ann/r/src/branch/main/.gitea/workflows/ci.yml`,
      badge_url: `${server.url}/ann/r/actions/workflows/ci.yml/badge.svg?branch=main`,
      deleted_at: '1970-01-01T00:00:00Z',
    })
    await server.world.repo({ owner: ann, name: 'empty' })
    expect((await ann.client.get('/repos/ann/empty/actions/workflows')).json).toEqual({ workflows: [], total_count: 0 })
  })

  it.each([
    ['ci.yml', []],
    ['broken.yml', [{ line: 2, place: '', reason: expect.any(String) }]],
    ['on.yml', [{ line: 1, place: 'on', reason: 'has an expression, which nothing evaluates there' }]],
    ['cycle.yml', [{ line: 4, place: 'jobs.a.needs', reason: 'leads back to the job itself' }]],
  ])('say what is wrong with %s', async (file, problems) => {
    const { path } = (await ann.client.get(`${ROOT}/${file}`)).json
    expect((await ann.client.get(`${ROOT}/${file}/lint`)).json).toEqual({
      path,
      valid: problems.length === 0,
      problems,
    })
    expect((await ann.client.get(`${ROOT}/none.yml/lint`)).status).toBe(404)
  })

  it('list their runs, and show the last result as a badge', async () => {
    const factory = createActionsFactory(server.app)
    const { id } = await server.world.repo({ owner: ann, name: 'badges', autoInit: true })
    const badge = async (query = ''): Promise<string> => {
      const answer = await fetch(`${server.url}/ann/badges/actions/workflows/a%26b.yml/badge.svg${query}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
      return /<title>(.*)<\/title>/.exec(await answer.text())![1]!
    }
    expect(await badge()).toBe('a&#38;b.yml: no status')
    const workflow = 'a&b.yml'
    const ids: number[] = []
    for (const [status, ref] of [
      ['success', 'refs/heads/main'],
      ['failure', 'refs/heads/dev'],
      ['running', 'refs/heads/main'],
    ] as const)
      ids.push((await factory.run(id, { workflow, ref, jobs: { a: { status } } })).run.id)
    await factory.run(id, { workflow: 'other.yml' })
    expect(await badge()).toBe('a&#38;b.yml: passing')
    expect(await badge('?branch=dev&event=push&style=flat-square')).toBe('a&#38;b.yml: failing')
    expect(await badge('?event=schedule')).toBe('a&#38;b.yml: no status')
    const list = async (query: string): Promise<Any> =>
      (await ann.client.get(`/repos/ann/badges/actions/workflows/${encodeURIComponent(workflow)}/runs${query}`)).json
    const listed = async (query: string): Promise<number[]> =>
      (await list(query)).workflow_runs.map((run: Any) => run.id)
    expect([await listed(''), await listed('?branch=dev')]).toEqual([ids.toReversed(), [ids[1]]])
    expect((await ann.client.get('/repos/ann/badges/actions/workflows/none.yml/runs')).status).toBe(404)
    expect(await listed('?scoped_workflow_source_repo_id=0')).toEqual(ids.toReversed())
    expect(await list(`?scoped_workflow_source_repo_id=${id}`)).toEqual({})
    await ann.client.patch('/repos/ann/badges', { private: true })
    expect((await fetch(`${server.url}/ann/badges/actions/workflows/a.yml/badge.svg`)).status).toBe(404)
  })

  it('are disabled and enabled', async () => {
    for (const [verb, state] of [
      ['disable', 'disabled_manually'],
      ['disable', 'disabled_manually'],
      ['enable', 'active'],
    ] as const) {
      expect((await ann.client.put(`${ROOT}/ci.yml/${verb}`)).status).toBe(204)
      expect((await ann.client.get(`${ROOT}/ci.yml`)).json.state).toBe(state)
      const refused = await dispatch('ci.yml', WANTED)
      expect([refused.status, refused.json?.message]).toEqual(
        state === 'active' ? [204, undefined] : [403, 'workflow is disabled'],
      )
    }
    expect(await rows(server, 'event', { kind: 'action_workflow.disabled' })).toHaveLength(1)
    for (const action of ['workflow.disabled', 'workflow.enabled'])
      expect(await rows(server, 'audit_entry', { action })).toMatchObject([{ details: '{"workflow":"ci.yml"}' }])
    expect((await ann.client.put(`${ROOT}/none.yml/disable`)).status).toBe(404)
  })

  it('start a run with its jobs', async () => {
    const answer = await dispatch('ci.yml', WANTED, '?return_run_details=true')
    expect(answer.status).toBe(200)
    const id = answer.json.workflow_run_id
    expect(answer.json).toEqual({
      workflow_run_id: id,
      run_url: `${server.url}/api/v1/repos/ann/r/actions/runs/${id}`,
      html_url: `${server.url}/ann/r/actions/runs/${id}`,
    })
    const other = await dispatch('ci.yml', { ...WANTED, return_run_info: true })
    expect([other.status, other.json]).toEqual([
      201,
      { id: id + 1, run_number: expect.any(Number), jobs: ['build', 'test'] },
    ])
    const run = (await ann.client.get(`/repos/ann/r/actions/runs/${id}`)).json
    expect(run).toMatchObject({
      display_title: 'By hand',
      event: 'workflow_dispatch',
      path: 'ci.yml@refs/heads/main',
      status: 'queued',
      actor: { login: 'ann' },
      head_sha: (await ann.client.get('/repos/ann/r/branches/main')).json.commit.id,
    })
    const { jobs } = (await ann.client.get(`/repos/ann/r/actions/runs/${id}/jobs`)).json
    expect(jobs.map(({ name, status, labels }: Any) => [name, status, labels])).toEqual([
      ['build', 'queued', ['ubuntu', 'x64']],
      ['Test it', 'waiting', ['ubuntu']],
    ])
    const [row] = await rows(server, 'action_run', { id })
    expect(JSON.parse(row!.payload)).toEqual({
      workflow: 'ci.yml',
      ref: 'main',
      inputs: { target: 'prod', level: '3' },
      repository: expect.objectContaining({ full_name: 'ann/r' }),
      sender: expect.objectContaining({ login: 'ann' }),
    })
    const [build, test] = await rows(server, 'action_job', { run_id: id })
    expect([build!.has_condition, test!.has_condition]).toEqual([0, 1])
    expect(test!.payload).toContain('${{ inputs.target }}')
    expect(test!.payload).toContain('A: b')
    expect(test!.payload).not.toMatch(/needs|make/)
  })

  it.each([
    [{}, { text: 'x', debug: 'false', count: '2.5', color: 'red', place: '', wrong: '' }],
    [
      { text: '', debug: '', count: '', color: '', unknown: 'y' },
      { text: '', debug: 'false', count: '2.5', color: 'red' },
    ],
    [
      { debug: 'true', count: '-1e3', color: '7', place: 'prod' },
      { debug: 'true', count: '-1e3', color: '7' },
    ],
    [
      { text: 1, debug: true, count: -1.5e3, color: 7 },
      { text: '1', debug: 'true', count: '-1500', color: '7' },
    ],
    [
      { debug: false, count: 0 },
      { debug: 'false', count: '0' },
    ],
  ])('get the inputs of %j', async (inputs, values) => {
    const answer = await dispatch('typed.yml', { ref: 'main', inputs }, '?return_run_details=true')
    expect([answer.status, answer.json.message]).toEqual([200, undefined])
    const [row] = await rows(server, 'action_run', { id: answer.json.workflow_run_id })
    const got = JSON.parse(row!.payload).inputs
    expect(got).toMatchObject(values)
    expect(Object.keys(got)).toEqual(['text', 'debug', 'count', 'color', 'place', 'wrong'])
  })

  it('of other repositories are not started', async () => {
    const source = '?return_run_details=true&scoped_workflow_source_repo_id='
    expect((await dispatch('ci.yml', WANTED, `${source}0`)).status).toBe(200)
    const before = (await rows(server, 'action_run')).length
    expect((await dispatch('ci.yml', WANTED, `${source}1`)).status).toBe(404)
    expect((await dispatch('ci.yml', WANTED, `${source}-1`)).status).toBe(422)
    expect((await rows(server, 'action_run')).length).toBe(before)
  })

  it('are those of the ref', async () => {
    expect((await dispatch('dev.yml', { ref: 'main' })).status).toBe(404)
    for (const ref of ['dev', 'refs/heads/dev']) expect((await dispatch('dev.yml', { ref })).status).toBe(204)
    await ann.client.post('/repos/ann/r/tags', { tag_name: 'v1', target: 'dev', message: 'annotated' })
    const tagged = await dispatch('dev.yml', { ref: 'v1' }, '?return_run_details=1')
    const run = (await ann.client.get(`/repos/ann/r/actions/runs/${tagged.json.workflow_run_id}`)).json
    expect([run.path, run.head_branch, run.display_title]).toEqual([
      'dev.yml@refs/tags/v1',
      'v1',
      '.gitea/workflows/dev.yml',
    ])
  })

  it.each([
    [404, 'ci.yml', { ...WANTED, ref: 'gone' }, ''],
    [404, 'none.yml', WANTED, ''],
    [422, 'ci.yml', {}, '[Ref]: Required'],
    [400, 'ci.yml', { ref: 'main' }, 'missing required input: target'],
    [400, 'ci.yml', { ref: 'main', inputs: { target: '' } }, 'missing required input: target'],
    [422, 'ci.yml', { ref: 'main', inputs: { target: 'x'.repeat(65_536) } }, 'MaxSize'],
    [422, 'typed.yml', { ref: 'main', inputs: { debug: 'yes' } }, 'input debug must be true or false'],
    [422, 'typed.yml', { ref: 'main', inputs: { debug: 1 } }, 'input debug must be true or false'],
    [422, 'typed.yml', { ref: 'main', inputs: { count: true } }, 'input count must be a number'],
    [422, 'typed.yml', { ref: 'main', inputs: { text: ['x'] } }, 'cannot unmarshal array into field Inputs'],
    [422, 'typed.yml', { ref: 'main', inputs: { count: '0x10' } }, 'input count must be a number'],
    [422, 'typed.yml', { ref: 'main', inputs: { count: '1e999' } }, 'input count must be a number'],
    [422, 'typed.yml', { ref: 'main', inputs: { color: 'Red' } }, 'input color must be one of its options'],
    [422, 'on.yml', { ref: 'main' }, 'line 1: on: has an expression'],
    [422, 'push.yaml', { ref: 'main' }, 'has no workflow_dispatch trigger'],
    [422, 'broken.yml', { ref: 'main' }, 'is not valid: line 2: '],
    [422, 'cycle.yml', { ref: 'main' }, 'line 4: jobs.a.needs: leads back to the job itself'],
    [422, 'name.yml', { ref: 'main' }, 'line 4: jobs.a.name: cannot be evaluated'],
  ])('respond with %i to a dispatch of %s by %j', async (status, file, body, message) => {
    const before = (await rows(server, 'action_run')).length
    const answer = await dispatch(file, body)
    expect([answer.status, answer.json.message ?? '']).toEqual([status, expect.stringContaining(message)])
    expect((await rows(server, 'action_run')).length).toBe(before)
  })

  it('are changed by accounts that may write the unit, and read by signed-in users', async () => {
    const calls = (client: Client): Promise<Any>[] => [
      client.get(ROOT),
      client.get(`${ROOT}/ci.yml`),
      client.put(`${ROOT}/ci.yml/disable`),
      client.put(`${ROOT}/ci.yml/enable`),
      client.post(`${ROOT}/ci.yml/dispatches`, WANTED),
    ]
    const codes = async (client: Client): Promise<number[]> =>
      (await Promise.all(calls(client))).map((answer) => answer.status)
    expect(await codes(server.anonymous)).toEqual([401, 401, 401, 401, 401])
    expect(await codes(reader.client)).toEqual([200, 200, 403, 403, 403])
    await ann.client.patch('/repos/ann/r', { archived: true })
    expect(await codes(ann.client)).toEqual([200, 200, 423, 423, 423])
    await ann.client.patch('/repos/ann/r', { archived: false })
  })
})
