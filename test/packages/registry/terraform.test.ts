import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const state = (serial: number, more: object = {}): string =>
  JSON.stringify({ version: 4, serial, lineage: '6e2d', outputs: {}, ...more })
/** The body that the client sends. */
const lockInfo = (ID: string): string => JSON.stringify({ ID, Operation: 'OperationTypeApply', Who: 'ann@host' })
const md5 = (text: string): string => createHash('md5').update(text).digest('base64')

describeOnBoth('the registry of Terraform states', (kind) => {
  let server: TestServer
  let ann: Person
  let authorization: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    authorization = `Basic ${Buffer.from(`ann:${await ann.token('write:package')}`).toString('base64')}`
  })
  afterAll(() => server.close())

  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}/api/packages/ann/terraform/state/${path}`, {
      method,
      headers: { authorization, ...headers },
      body: body ?? null,
    })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const status = async (...request: Parameters<typeof call>): Promise<number> => (await call(...request)).status

  it('stores a series of states, of which the newest is read', async () => {
    expect(await status('GET', 'prod')).toBe(404)
    const first = state(0, { encrypted_data: 'opaque' })
    expect(await status('POST', 'prod', first, { 'content-md5': md5(first) })).toBe(201)
    expect(await status('POST', 'prod', state(7))).toBe(201)
    const newest = await call('GET', 'prod')
    expect([newest.status, newest.text, newest.headers.get('content-type'), newest.headers.get('content-md5')]).toEqual(
      [200, state(7), 'application/json', md5(state(7))],
    )
    expect((await call('GET', 'prod/versions/0')).text).toBe(first)
    const { json } = await ann.client.get('/packages/ann/terraform/prod')
    expect(json.map(({ version }: { version: string }) => version)).toEqual(['7', '0'])
    // A client without an answer sends it again.
    expect(await status('POST', 'prod', state(7))).toBe(200)
    expect(await status('POST', 'prod', state(7, { outputs: { other: 1 } }))).toBe(409)
    expect(await status('DELETE', 'prod/versions/7')).toBe(200)
    expect(await status('DELETE', 'prod/versions/7')).toBe(404)
    expect((await call('GET', 'prod')).text).toBe(first)
    expect(await status('DELETE', 'prod')).toBe(200)
    expect([await status('GET', 'prod'), await status('DELETE', 'prod')]).toEqual([404, 404])
  })

  it('allows only the holder of the lock to change the state', async () => {
    expect(await status('POST', 'locked/lock', lockInfo('one'))).toBe(200)
    expect((await ann.client.get('/packages/ann?q=locked')).json).toEqual([])
    const refused = await call('POST', 'locked/lock', lockInfo('two'))
    expect([refused.status, refused.text, refused.headers.get('content-type')]).toEqual([
      423,
      lockInfo('one'),
      'application/json',
    ])
    expect(await status('POST', 'locked/lock', lockInfo('one'))).toBe(200)
    for (const query of ['', '?ID=two']) {
      const answer = await call('POST', `locked${query}`, state(1))
      expect([answer.status, JSON.parse(answer.text).ID]).toEqual([423, 'one'])
    }
    expect(await status('GET', 'locked')).toBe(404)
    expect(await status('POST', 'locked?ID=one', state(1))).toBe(201)
    expect(await status('POST', 'locked?ID=one', state(2))).toBe(201)
    expect(await status('DELETE', 'locked/versions/1')).toBe(423)
    expect(await status('DELETE', 'locked')).toBe(423)
    expect((await call('GET', 'locked')).text).toBe(state(2))
    expect(await status('DELETE', 'locked/lock', lockInfo('two'))).toBe(423)
    expect(await status('DELETE', 'locked/lock', lockInfo('one'))).toBe(200)
    expect(await status('DELETE', 'locked/lock', lockInfo('one'))).toBe(200)
    // Who still names a released lock must not write.
    expect(await status('POST', 'locked?ID=one', state(3))).toBe(409)
    expect(await status('POST', 'locked', state(3))).toBe(201)
    expect(await status('POST', 'locked/lock', lockInfo('three'))).toBe(200)
    expect(await status('DELETE', 'locked/lock?ID=three')).toBe(200)
    // As `terraform force-unlock` does.
    expect(await status('POST', 'locked/lock', lockInfo('four'))).toBe(200)
    expect(await status('DELETE', 'locked/lock')).toBe(200)
    expect(await status('POST', 'locked', state(4))).toBe(201)
  })

  it('grants a lock to one of many clients, and deletes it completely', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const answers = await Promise.all(ids.map((id) => call('POST', 'raced/lock', lockInfo(id))))
    const [holder, ...more] = ids.filter((_, i) => answers[i]!.status === 200)
    expect(more).toEqual([])
    for (const answer of answers) if (answer.status !== 200) expect(answer.text).toBe(lockInfo(holder!))
    expect(await status('DELETE', 'raced/lock', lockInfo(holder!))).toBe(200)
    expect(await rows(server, 'package', { name: 'raced' })).toEqual([])
  })

  it('refuses an invalid state and invalid lock info', async () => {
    const refused = [
      ['no JSON', 400],
      ['[]', 400],
      ['{"serial": "1"}', 400],
      ['{"serial": -1}', 400],
      ['{"serial": 1.5}', 400],
      [state(1, { data: 'x'.repeat(16 * 1024 * 1024) }), 413],
      [`{"serial": 1, "a": ${'['.repeat(100_000)}`, 400],
    ] as const
    for (const [body, expected] of refused) expect(await status('POST', 'refused', body)).toBe(expected)
    expect(await status('POST', 'refused', state(1), { 'content-md5': md5('other') })).toBe(400)
    for (const body of ['', '{}', '{"ID": 5}', lockInfo('x'.repeat(300))])
      expect(await status('POST', 'refused/lock', body)).toBe(400)
    expect(await status('POST', 'refused/lock', `{"ID":"x","Info":"${'x'.repeat(20_000)}"}`)).toBe(413)
    expect(await status('DELETE', 'refused/lock', '{}')).toBe(400)
    expect(await status('PUT', 'refused', state(1))).toBe(405)
    expect(await rows(server, 'package', { name: 'refused' })).toEqual([])
    const anonymous = await call('POST', 'refused/lock', lockInfo('x'), { authorization: '' })
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Ingot Package API"',
    ])
  })
})
