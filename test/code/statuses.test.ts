import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { codeRepo, oracle, SMALL, type CodeRepo } from './code-world.ts'

let server: TestServer
let ann: Person
let bob: Person
let code: CodeRepo

beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
  bob = await server.world.user('bob')
  code = await codeRepo(server, ann, { name: 'code', history: SMALL })
  oracle(code.git.path, ['branch', 'feat/status/x', 'main'])
})
afterAll(() => server.close())

describe('commit statuses', () => {
  it('can be reported only by writers', async () => {
    const secret = await codeRepo(server, ann, { name: 'secret', history: SMALL, isPrivate: true })
    const body = { state: 'success' }
    expect((await server.anonymous.post(`${code.path}/statuses/main`, body)).status).toBe(401)
    expect((await bob.client.post(`${code.path}/statuses/main`, body)).status).toBe(403)
    for (const path of ['/statuses/main', '/commits/main/status', '/commits/main/statuses']) {
      expect((await bob.client.get(secret.path + path)).status, path).toBe(404)
      expect((await server.anonymous.get(secret.path + path)).status, path).toBe(404)
    }
  })

  it('reject invalid states', async () => {
    const post = (body: object, sha = 'main') => ann.client.post(`${code.path}/statuses/${sha}`, body)
    expect(await post({ state: 'fine' })).toMatchObject({ status: 422, json: { message: '[State]: In' } })
    expect((await post({})).status).toBe(422)
    expect((await post({ state: 'success', target_url: 'javascript:alert(1)' })).json.message).toBe(
      '[TargetURL]: ValidUrl',
    )
    expect((await post({ state: 'success', target_url: '//elsewhere.test/x' })).status).toBe(422)
    expect((await post({ state: 'success', context: 'x'.repeat(2000) })).status).toBe(422)
    for (const sha of ['0'.repeat(39) + '1', 'nowhere', 'main..topic'])
      expect((await post({ state: 'success' }, sha)).status, sha).toBe(404)
    expect((await ann.client.get(`${code.path}/statuses/nowhere`)).json).toEqual([])
    expect((await ann.client.get(`${code.path}/commits/nowhere/status`)).status).toBe(404)
    const empty = await codeRepo(server, ann, { name: 'empty' })
    expect((await ann.client.get(`${empty.path}/commits/main/status`)).status).toBe(404)
  })

  it('are numbered from 1 for each commit, and all are stored', async () => {
    const oid = code.oid('main')
    const none = await ann.client.get(`${code.path}/commits/main/status`)
    expect(none).toMatchObject({ status: 200, json: { state: 'pending', total_count: 0, statuses: [], sha: oid } })
    const reports = [
      ['pending', 'build'],
      ['success', ' lint '],
      ['success', 'build'],
      ['skipped', 'docs'],
    ]
    for (const [state, context] of reports) {
      const made = await ann.client.post(`${code.path}/statuses/${oid.slice(0, 8)}`, {
        state,
        context,
        target_url: '/o/r/actions/1',
      })
      expect(made).toMatchObject({
        status: 201,
        json: { status: state, context: context!.trim(), creator: { login: 'ann' } },
      })
      expect(made.json.url).toBe(`${server.url}/api/v1${code.path}/statuses/${oid}`)
    }
    const other = await ann.client.post(`${code.path}/statuses/topic`, { state: 'error' })
    expect(other.json).toMatchObject({ id: 1, context: '', description: '', target_url: '' })

    const numbers = async (query: string) =>
      (await ann.client.get(`${code.path}/statuses/${oid}${query}`)).json.map((status: { id: number }) => status.id)
    expect(await numbers('')).toEqual([4, 3, 2, 1])
    expect(await numbers('?sort=leastindex&limit=2')).toEqual([4, 3])
    expect(await numbers('?sort=highestindex&limit=2&page=2')).toEqual([3, 4])
    expect(await numbers('?sort=oldest')).toEqual([1, 2, 3, 4])
    expect(await numbers('?sort=hasOwnProperty&state=toString')).toEqual([4, 3, 2, 1])
    expect(await numbers('?state=success')).toEqual([3, 2])
  })

  it('combine the newest of each context, by any name of the commit', async () => {
    for (const ref of ['main', 'feat/status/x', 'feat%2Fstatus%2Fx', code.oid('main')]) {
      const combined = await server.anonymous.get(`${code.path}/commits/${ref}/status`)
      expect(combined, ref).toMatchObject({
        status: 200,
        json: { state: 'success', total_count: 3, sha: code.oid('main'), repository: { full_name: 'ann/code' } },
      })
      expect(combined.json.statuses.map((status: { id: number }) => status.id)).toEqual([2, 3, 4])
      expect((await server.anonymous.get(`${code.path}/commits/${ref}/statuses`)).headers.get('x-total-count')).toBe(
        '4',
      )
    }
    const oid = code.oid('main')
    for (const [ref, status] of [
      [oid.slice(0, 7), 200],
      [oid.slice(0, 6), 404],
      ['HEAD', 404],
      ['refs/heads/main', 404],
      ['main~1', 404],
    ] as const) {
      expect((await ann.client.get(`${code.path}/commits/${ref}/status`)).status, ref).toBe(status)
      expect((await ann.client.get(`${code.path}/commits/${ref}/statuses`)).status, ref).toBe(status)
    }
    for (const name of ['main', oid.slice(0, 8), oid.toUpperCase()])
      expect((await ann.client.get(`${code.path}/statuses/${name}`)).json, name).toEqual([])
    const second = await ann.client.get(`${code.path}/commits/main/status?limit=1&page=2`)
    expect(second).toMatchObject({ json: { total_count: 1, statuses: [{ context: 'build' }] } })
    await ann.client.post(`${code.path}/statuses/main`, { state: 'warning', context: 'docs' })
    expect((await ann.client.get(`${code.path}/commits/main/status`)).json.state).toBe('failure')
  })

  it('are numbered without gaps when concurrent, and append events', async () => {
    const many = await codeRepo(server, ann, { name: 'many', history: SMALL })
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        ann.client.post(`${many.path}/statuses/main`, { state: 'pending', context: `c${at}` }),
      ),
    )
    expect(made.map((answer) => answer.json.id).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 1),
    )
    const events = await rows(server, 'event', { repo_id: many.repo.id, kind: 'commit.status' })
    expect(events).toHaveLength(12)
    expect(JSON.parse(events[0]!.payload)).toMatchObject({ oid: many.oid('main'), state: 'pending' })
  })

  it('remain after the deletion of the account that reported them', async () => {
    const carl = await server.world.user('carl')
    const root = await server.world.admin()
    await ann.client.put(`${code.path}/collaborators/carl`, { permission: 'write' })
    await carl.client.post(`${code.path}/statuses/v1`, { state: 'success', context: 'by carl' })
    expect((await root.client.delete('/admin/users/carl')).status).toBe(204)
    expect((await ann.client.get(`${code.path}/commits/v1/statuses`)).json[0]).toMatchObject({
      context: 'by carl',
      creator: null,
    })
  })
})
