import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { callRpc, registerRunner, rpc, RpcError, runnerOf, type TestRunner } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { Result } from '../../src/domains/automation/actions/protocol/proto/runner_pb.js'
import type { Any } from '../harness/client.ts'
import type { Person } from '../harness/world.ts'

const credentialsOf = ({ uuid, token }: TestRunner) => ({ 'x-runner-uuid': uuid, 'x-runner-token': token })

describeOnBoth('the runner protocol', (kind) => {
  let server: TestServer
  let [ann, root] = [] as unknown as [Person, Person]

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, root] = [await server.world.user('ann'), await server.world.admin()]
    await server.world.repo({ owner: ann, name: 'r' })
  })
  afterAll(() => server.close())

  const tokenAt = async (person: Person, path: string): Promise<string> =>
    (await person.client.get(`${path}/runners/registration-token`)).json.token
  const runnersAt = async (person: Person, path: string): Promise<Any[]> =>
    (await person.client.get(`${path}/runners`)).json.runners
  const failure = async (call: Promise<unknown>): Promise<[number, string]> => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    return error instanceof RpcError ? [error.status, error.code] : [0, String(error)]
  }
  /** A body that is a string is sent as JSON. */
  async function send(method: string, body: string | Buffer<ArrayBuffer>, headers: object = {}) {
    const type = `application/${typeof body === 'string' ? 'json' : 'proto'}`
    const url = `${server.url}/api/actions/runner.v1.RunnerService/${method}`
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type, ...headers }, body })
    return { status: answer.status, ...((await answer.json()) as { code: string; message: string }) }
  }
  const raw = (method: string, init: RequestInit): Promise<Response> =>
    fetch(`${server.url}/api/actions/ping.v1.PingService/${method}`, { method: 'POST', ...init })

  it.each(['proto', 'json'] as const)('answers a ping in %s, compressed or not', async (encoding) => {
    for (const gzip of [false, true]) {
      const answer = await callRpc(server.url, rpc.ping, { data: 'x'.repeat(5000) }, { encoding, gzip })
      expect(answer.data).toBe(`Hello, ${'x'.repeat(5000)}!`)
    }
    expect((await callRpc(server.url, rpc.ping, {}, { encoding })).data).toBe('Hello, !')
  })

  it.each(['proto', 'json'] as const)('compresses long answers in %s for those who accept it', async (encoding) => {
    const data = 'x'.repeat(20_000)
    const body =
      encoding === 'json' ? JSON.stringify({ data }) : Buffer.from([0x0a, 0xa0, 0x9c, 0x01, ...Buffer.from(data)])
    const sizes = []
    for (const accepted of ['identity', 'br, gzip']) {
      const headers = { 'content-type': `application/${encoding}`, 'accept-encoding': accepted }
      const answer = await raw('Ping', { headers, body })
      sizes.push([answer.headers.get('content-encoding'), Number(answer.headers.get('content-length')) < 1000])
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `application/${encoding}`])
      expect(await answer.text()).toContain(`Hello, ${data}!`)
    }
    expect(sizes).toEqual([
      [null, false],
      ['gzip', true],
    ])
  })

  it('answers with no bytes when a message has only defaults', async () => {
    const runner = await registerRunner(server.url, await tokenAt(ann, '/user/actions'))
    const { run } = await createActionsFactory(server.app).run((await ann.client.get('/repos/ann/r')).json.id, {
      jobs: { a: { labels: ['host'], status: 'waiting' } },
    })
    const { task } = await runner.call(rpc.fetchTask, {})
    expect([task!.context!['run_id'], Number(task!.id) < 128]).toEqual([String(run.id), true])
    const answer = await fetch(`${server.url}/api/actions/runner.v1.RunnerService/UpdateLog`, {
      method: 'POST',
      headers: {
        'content-type': 'application/proto',
        'x-runner-uuid': runner.uuid,
        'x-runner-token': runner.token,
      },
      body: Buffer.from([0x08, Number(task!.id)]),
    })
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/proto',
      '',
    ])
  })

  it('ignores unknown fields', async () => {
    const json = await raw('Ping', {
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"data":"a","new":[1]}',
    })
    expect([json.status, await json.json()]).toEqual([200, { data: 'Hello, a!' }])
    const proto = await raw('Ping', {
      headers: { 'content-type': 'application/proto' },
      body: '\x0a\x01a\x9a\x06\x01z',
    })
    expect([proto.status, await proto.text()]).toEqual([200, '\x0a\x09Hello, a!'])
  })

  it('refuses what is not a call', async () => {
    const type = { headers: { 'content-type': 'application/proto' } }
    expect((await raw('Ping', { ...type, method: 'GET' })).status).toBe(405)
    expect((await raw('Pong', type)).status).toBe(404)
    expect((await raw('Ping', { headers: { 'content-type': 'text/plain' }, body: 'a' })).status).toBe(415)
    const broken = await raw('Ping', { ...type, body: '\x0a\x7fa' })
    expect([broken.status, (await broken.json()).code]).toEqual([400, 'invalid_argument'])
    const packed = await raw('Ping', { headers: { ...type.headers, 'content-encoding': 'gzip' }, body: 'a' })
    expect(packed.status).toBe(400)
  })

  it.each(['Declare', 'FetchTask', 'FetchSingleTask', 'UpdateTask', 'UpdateLog'])(
    'reads a body before credentials in %s, and says what is wrong in JSON',
    async (method) => {
      for (const [body, status, code] of [
        ['\x0a', 400, 'invalid_argument'],
        ['', 401, 'unauthenticated'],
      ] as const) {
        const url = `${server.url}/api/actions/runner.v1.RunnerService/${method}`
        const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/proto' }, body })
        expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
        expect(await answer.json()).toMatchObject({ code })
      }
    },
  )

  describe('limits requests that take long to decode', () => {
    const limits = [
      [rpc.updateLog, 300_000, 'resource_exhausted'],
      [rpc.updateTask, 300_000, 'resource_exhausted'],
      [rpc.declare, 70_000, 'resource_exhausted'],
      [rpc.updateTask, 60_000, 'ok'],
    ] as const
    it.each(limits)('in JSON: %#', async (method, size, expected) => {
      const runner = await registerRunner(server.url, await tokenAt(ann, '/user/actions'))
      const { status, code } = await send(method.name, `{"a":[${'{},'.repeat(size / 3)}{}]}`, credentialsOf(runner))
      // NOTE: no task has the number 0.
      expect([status, code]).toEqual(expected === 'ok' ? [404, 'not_found'] : [429, expected])
    })

    const lengthOf = (size: number) => [(size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, size >> 14]
    const many = Buffer.alloc(60_000)
    it.each([
      ['unknown fields', many.fill('\x78\0')],
      ['outputs', Buffer.from(many).fill('\x12\0')],
      ['steps', Buffer.from([0x0a, ...lengthOf(60_000), ...Buffer.from(many).fill('\x2a\0')])],
      ['fields of an output', Buffer.from([0x12, ...lengthOf(60_000), ...Buffer.from(many).fill('\x18\0')])],
      ['fields of a step', Buffer.from([0x0a, ...lengthOf(60_004), 0x2a, ...lengthOf(60_000), ...many])],
    ])('in protobuf: %s', async (_, body) => {
      expect(await send('UpdateTask', body)).toMatchObject({
        status: 400,
        message: expect.stringContaining('more than 20000 fields'),
      })
    })
    it('in protobuf: groups', async () => {
      expect(await send('UpdateTask', Buffer.from('\x0b\x0c'))).toMatchObject({
        status: 400,
        message: expect.stringContaining('group'),
      })
    })

    it('before credentials only when it is short', async () => {
      const broken = Buffer.alloc(100_000, '\x12\x7f')
      for (const method of ['UpdateTask', 'UpdateLog']) {
        expect((await send(method, broken.subarray(0, 1001))).status).toBe(400)
        expect((await send(method, broken)).status).toBe(401)
        expect((await send(method, gzipSync(broken), { 'content-encoding': 'gzip' })).status).toBe(401)
      }
    })

    it('but not the fullest report', async () => {
      const runner = await registerRunner(server.url, await tokenAt(ann, '/repos/ann/r/actions'))
      await createActionsFactory(server.app).run((await ann.client.get('/repos/ann/r')).json.id, {
        jobs: { a: { labels: ['host'], status: 'waiting' } },
      })
      const { id } = (await runner.call(rpc.fetchTask, {})).task!
      const time = { seconds: 1n, nanos: 1 }
      const facts = { result: Result.SUCCESS, startedAt: time, stoppedAt: time, logIndex: 1n, logLength: 1n }
      const steps = Array.from({ length: 1000 }, (_, at) => ({ id: BigInt(at), ...facts }))
      const outputs = Object.fromEntries(steps.map((step) => [`o${step.id}`, 'x'.repeat(1000)]))
      const { sentOutputs } = await runner.call(rpc.updateTask, { state: { id, steps }, outputs }, { gzip: true })
      expect(sentOutputs).toHaveLength(1000)
    })
  })

  it('says in JSON that a method is unknown', async () => {
    const answer = await raw('Pong', { headers: { 'content-type': 'application/proto' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json'])
    expect(await answer.json()).toEqual({ code: 'unimplemented', message: 'unknown method Pong' })
  })

  it.each(['/repos/ann/r/actions', '/user/actions', '/admin/actions'])('registers runners at %s', async (path) => {
    const person = path.startsWith('/admin') ? root : ann
    const token = await tokenAt(person, path)
    const runner = await registerRunner(server.url, token, { name: path, labels: ['host', 'x'] })
    expect(runner.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(runner.token).toMatch(/^[0-9a-f]{40}$/)
    const listed = async () => (await runnersAt(person, path)).find(({ name }) => name === path)
    expect(await listed()).toMatchObject({ status: 'offline', ephemeral: false, uuid: runner.uuid })
    const declared = await runner.call(rpc.declare, { version: 'v9', labels: ['new'] })
    expect(declared.runner).toMatchObject({ uuid: runner.uuid, token: '', labels: ['new'], version: 'v9' })
    expect(await listed()).toMatchObject({
      status: 'online',
      version: 'v9',
      labels: [{ id: 0, name: 'new', type: 'custom' }],
    })
  })

  it.each(['/repos/ann/r/actions', '/user/actions', '/admin/actions'])('starts runners made at %s', async (path) => {
    const { client } = path.startsWith('/admin') ? root : ann
    const made = await client.post(`${path}/runners`, { name: 'made', description: 'for CI', ephemeral: true })
    expect(made.status).toBe(201)
    const declared = await runnerOf(server.url, made.json).call(rpc.declare, { version: 'v1', labels: ['host'] })
    expect(declared.runner).toMatchObject({ id: BigInt(made.json.id), name: 'made', ephemeral: true })
    expect((await client.get(`${path}/runners/${made.json.id}`)).json).toMatchObject({
      description: 'for CI',
      status: 'online',
      version: 'v1',
    })
    expect((await client.post(`${path}/runners`, {})).status).toBe(422)
  })

  it('accepts the labels that older runners send, and a request for one task', async () => {
    const token = await tokenAt(ann, '/user/actions')
    const { runner } = await callRpc(server.url, rpc.register, {
      name: 'old',
      token,
      agentLabels: ['a'],
      customLabels: ['b'],
      ephemeral: true,
    })
    expect(runner).toMatchObject({ labels: ['a', 'b'], ephemeral: true })
  })

  it('refuses unknown registration tokens and those that were reset', async () => {
    const token = await tokenAt(ann, '/repos/ann/r/actions')
    const repoId = (await ann.client.get('/repos/ann/r')).json.id
    const next = await server.app.runners.resetRegistrationToken({ kind: 'repository', repoId })
    expect(await tokenAt(ann, '/repos/ann/r/actions')).toBe(next)
    await expect(registerRunner(server.url, token)).rejects.toThrow('has been invalidated')
    await expect(registerRunner(server.url, 'f'.repeat(40))).rejects.toThrow('registration token not found')
    await expect(registerRunner(server.url, next, { name: '' })).rejects.toThrow('missing runner token, name')
    await expect(registerRunner(server.url, next, { name: 'a\0b' })).rejects.toThrow('name:')
    await expect(registerRunner(server.url, next, { labels: Array(101).fill('x') })).rejects.toThrow('labels:')
    await registerRunner(server.url, next)
  })

  it('refuses a runner with another token, and one that was deleted', async () => {
    const runner = await registerRunner(server.url, await tokenAt(ann, '/user/actions'), { name: 'gone' })
    const forged = runnerOf(server.url, { ...runner, token: 'f'.repeat(40) })
    expect(await failure(forged.call(rpc.declare, {}))).toEqual([401, 'unauthenticated'])
    const { id } = (await runnersAt(ann, '/user/actions')).find(({ name }) => name === 'gone')
    await ann.client.delete(`/user/actions/runners/${id}`)
    expect(await failure(runner.call(rpc.declare, {}))).toEqual([401, 'unauthenticated'])
  })
})
