import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import { defineModule } from '../../src/core/module.ts'
import type { TaskPool } from '../../src/core/platform/isolation/index.ts'
import { type Any, createClient } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { registerRunner, rpc } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { pushBranches } from '../pulls/pushed-history.ts'

const START = 'on: [workflow_dispatch, push]\n'
const AXIS = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
const bomb = Array.from({ length: 12 }, (_, at) => `b${at}: &b${at} [${`*b${at - 1},`.repeat(9)}]`)
const grown = Array.from({ length: 40 }).reduce<string>((text) => `format('{0}{0}{0}{0}{0}{0}', ${text})`, "'x'")

/** Workflows that would make too much of a little, with what the server says about them. */
const HOSTILE: Readonly<Record<string, readonly [text: string, reason: RegExp]>> = {
  'large.yml': [`${START}jobs: { a: {} }\n# ${'x'.repeat(1024 * 1024)}`, /larger than 1 MiB/],
  'bomb.yml': [`${START}b: &b [x]\n${bomb.join('\n').replaceAll('*b-1', '*b')}\njobs: { a: {} }`, /alias/],
  'deep.yml': [`${START}jobs: ${'['.repeat(50_000)}`, /./],
  'matrix.yml': [
    `${START}jobs: { a: { strategy: { matrix: { ${['a', 'b', 'c', 'd', 'e', 'f'].map((key) => `${key}: ${AXIS}`).join(', ')} } } } }`,
    /more than 256 combinations/,
  ],
  'group.yml': [
    String.raw`on: [workflow_dispatch, push]${'\n'}concurrency: "a\0b"${'\n'}jobs: { a: {} }`,
    /without NUL/,
  ],
  'grown.yml': [`${START}jobs: { a: { name: "\${{ ${grown} }}" } }`, /too much|cannot be evaluated/],
}

describeOnBoth('workflows of hostile people', (kind) => {
  let server: TestServer
  let pool: TaskPool
  let [ann, bob] = [] as unknown as [Person, Person]

  const commit = async (who: Person, repo: string, files: Readonly<Record<string, string>>, more = {}) => {
    const changes = Object.entries(files).map(([path, text]) => ({
      operation: 'create',
      path,
      content: Buffer.from(text).toString('base64'),
    }))
    const answer = await who.client.post(`${repo}/contents`, { files: changes, message: 'Add files', ...more })
    expect(answer.status).toBe(201)
    // On an overloaded machine a file may be read again later.
    await untilStarted()
  }
  const untilStarted = () =>
    expect
      .poll(() => server.drain().then(() => rows(server, 'job', { kind: 'actions.start' })), { timeout: 60_000 })
      .toEqual([])
  const runsOf = async (repo: string): Promise<Any[]> =>
    (await ann.client.get(`${repo}/actions/runs?limit=50`)).json.workflow_runs

  beforeAll(async () => {
    const catchPool = defineModule({
      name: 'catch-pool',
      needs: [],
      create({ taskPool }) {
        pool = taskPool
        return {}
      },
    })
    server = await startServer({ on: kind, extraModules: [catchPool] })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
  }, 60_000)
  afterAll(() => server.close())

  it('start nothing, and do not keep others from starting', async () => {
    const repo = '/repos/ann/hostile'
    await server.world.repo({ owner: ann, name: 'hostile', autoInit: true })
    const files = Object.entries(HOSTILE).map(([name, [text]]) => [`.gitea/workflows/${name}`, text])
    const good = `${START}jobs: { a: { runs-on: x } }`
    const more = { branch: 'main', message: 'Add\u0007\u001b[31m files' }
    await commit(ann, repo, { ...Object.fromEntries(files), '.gitea/workflows/z.yml': good }, more)
    expect((await runsOf(repo)).map(({ path, display_title: title }) => [path, title])).toEqual([
      ['z.yml@refs/heads/main', 'Add [31m files'],
    ])
    for (const [name, [, reason]] of Object.entries(HOSTILE)) {
      const { status, json } = await ann.client.post(`${repo}/actions/workflows/${name}/dispatches`, { ref: 'main' })
      expect([name, status, json.message]).toEqual([name, 422, expect.stringMatching(reason)])
    }
  }, 120_000)

  it('are read up to the first hundred of a commit that has ten thousand', async () => {
    const repo = '/repos/ann/many'
    await server.world.repo({ owner: ann, name: 'many' })
    const nameOf = (at: number): string => `${String(at).padStart(4, '0')}.yml`
    const on = (at: number): string => ([0, 99, 100].includes(at) ? '[push, workflow_dispatch]' : 'delete')
    const files = Array.from({ length: 10_000 }, (_, at) => [
      `.gitea/workflows/${nameOf(at)}`,
      `on: ${on(at)}\njobs: { a: { runs-on: x } }\n# ${at}`,
    ])
    const run = vi.spyOn(pool, 'run')
    await pushBranches(server, ann, 'ann/many', [{ branch: 'main', files: Object.fromEntries(files) }])
    await untilStarted()
    const read = run.mock.calls.filter(([, input]) => (input as Any).text?.includes('jobs: {')).length
    run.mockRestore()
    expect([read >= 100, read < 250]).toEqual([true, true])
    expect((await runsOf(repo)).map(({ path }) => path.split('@')[0])).toEqual([nameOf(99), nameOf(0)])
    expect((await ann.client.get(`${repo}/actions/workflows`)).json.total_count).toBe(100)
    const refusal = `workflow "${nameOf(100)}" is not among the first 100 workflow files, after which none are read`
    const answers = [
      await ann.client.get(`${repo}/actions/workflows/${nameOf(100)}/lint`),
      await ann.client.post(`${repo}/actions/workflows/${nameOf(100)}/dispatches`, { ref: 'main' }),
    ]
    expect(answers.map(({ status, json }) => [status, json.message])).toEqual([
      [422, refusal],
      [422, refusal],
    ])
  }, 120_000)

  it('have names without control characters, whatever those of their files are', async () => {
    const repo = '/repos/ann/named'
    await server.world.repo({ owner: ann, name: 'named' })
    const odd = String.raw`"\u001b[31mx\r\n\u202e\u0000\" ; "`
    const text = `name: ${odd}
run-name: ${odd}
on: push
jobs: { a: { name: ${odd}, runs-on: host, environment: ${odd}, steps: [{ name: ${odd}, run: x }] } }
`
    const file = 'a\u001b[31m\u007f"b.yml'
    await pushBranches(server, ann, 'ann/named', [{ branch: 'main', files: { [`.gitea/workflows/${file}`]: text } }])
    await untilStarted()
    const [run] = await runsOf(repo)
    const { token } = (await ann.client.get(`${repo}/actions/runners/registration-token`)).json
    const runner = await registerRunner(server.url, token, { labels: ['host'] })
    const { task } = await runner.call(rpc.fetchTask, {})
    await runner.call(rpc.updateLog, { taskId: task!.id, rows: [{ content: 'a' }], noMore: true })
    await runner.call(rpc.updateTask, { state: { id: task!.id, result: Result.SUCCESS } })
    await server.drain()
    const [job] = (await ann.client.get(`${repo}/actions/runs/${run.id}/jobs`)).json.jobs
    const statuses = (await ann.client.get(`${repo}/commits/main/statuses`)).json
    const shown = [run.display_title, job.name, job.steps[0].name, ...statuses.map(({ context }: Any) => context)]
    for (const name of shown) expect(name).not.toMatch(/\p{Cc}/u)
    expect(statuses).toHaveLength(2)
    for (const path of [`jobs/${job.id}/logs`, `runs/${run.id}/logs`]) {
      const answer = await ann.client.get(`${repo}/actions/${path}`)
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
        200,
        expect.stringMatching(/^attachment; filename=[\x20-\x7e]+$/),
      ])
    }
    const path = encodeURIComponent(file)
    expect((await ann.client.get(`${repo}/actions/workflows/${path}`)).json.id).toBe(file)
    expect((await fetch(`${server.url}/ann/named/actions/workflows/${path}/badge.svg`)).status).toBe(200)
    expect((await fetch(`${server.url}/ann/named/actions/runs/${run.id}`)).status).toBe(200)
  }, 60_000)

  it('get no secrets in the code of strangers, and no token that writes', async () => {
    const repo = '/repos/ann/base'
    await server.world.repo({ owner: ann, name: 'base', autoInit: true })
    const of = (on: string): string => `on: ${on}\njobs: { a: { runs-on: x, steps: [{ run: make }] } }\n`
    await commit(
      ann,
      repo,
      { '.gitea/workflows/pr.yml': of('pull_request'), '.gitea/workflows/target.yml': of('pull_request_target') },
      { branch: 'main' },
    )
    await ann.client.put(`${repo}/actions/secrets/DEPLOY`, { data: 'hidden' })
    await ann.client.put('/user/actions/secrets/MINE', { data: 'hidden' })
    await bob.client.post(`${repo}/forks`, { name: 'fork' })
    await server.drain()
    await commit(bob, '/repos/bob/fork', { x: 'x' }, { branch: 'main', new_branch: 'work' })
    await bob.client.post(`${repo}/pulls`, { title: 'Work', head: 'bob:work', base: 'main' })
    await server.drain()
    const [{ id: held }] = await runsOf(`${repo}`).then((runs) => runs.filter(({ event }) => event === 'pull_request'))
    expect((await ann.client.post(`${repo}/actions/runs/${held}/approve`)).status).toBe(200)

    const { token } = (await ann.client.get(`${repo}/actions/runners/registration-token`)).json
    const runner = await registerRunner(server.url, token, { labels: ['x'] })
    const { task, additionalTasks } = await runner.call(rpc.fetchTask, { taskCapacity: 2n })
    const seen = [task!, ...additionalTasks].map(({ context, secrets }) => [context!['event_name'], secrets] as const)
    const secretsOf = new Map(seen)
    const tokens = ['FORGEJO_TOKEN', 'GITEA_TOKEN', 'GITHUB_TOKEN', 'INGOT_TOKEN']
    expect(Object.keys(secretsOf.get('pull_request')!).toSorted()).toEqual(tokens)
    expect(Object.keys(secretsOf.get('pull_request_target')!).toSorted()).toEqual(['DEPLOY', ...tokens, 'MINE'])
    const write = (event: string): Promise<number> => {
      const authorization = `Bearer ${secretsOf.get(event)!['GITHUB_TOKEN']!}`
      return createClient(server.url, server.app.operations, { authorization })
        .post(`${repo}/contents/new`, { content: 'YQ==', message: 'Add new' })
        .then(({ status }) => status)
    }
    expect([await write('pull_request'), await write('pull_request_target')]).toEqual([403, 201])
  }, 60_000)
})
