import { afterAll, beforeAll, expect, it } from 'vitest'
import { wireTime } from '../../src/core/platform/clock.ts'
import type { Run } from '../../src/domains/automation/index.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { callResults, expectRanges, startJob, storeArtifact } from '../harness/artifacts.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const ROOT = '/repos/ann/r/actions'
const DAY_MS = 86_400_000
const START = 1_800_000_000_000

describeOnBoth('artifacts', (kind) => {
  let server: TestServer
  let [ann, bob, root] = [] as unknown as [Person, Person, Person]
  let repo: Repo
  let [first, second] = [] as unknown as [Run, Run]
  let now = START

  beforeAll(async () => {
    server = await startServer({
      on: kind,
      clock: { now: () => now },
      settings: { 'actions.artifact_retention_days': '10', 'quota.enabled': 'true' },
    })
    const { world } = server
    ;[ann, bob, root] = [await world.user('ann'), await world.user('bob'), await world.admin()]
    repo = await world.repo({ owner: ann, name: 'r' })
    const factory = createActionsFactory(server.app)
    first = (await factory.run(repo.id)).run
    second = (await factory.run(repo.id)).run
  })
  afterAll(() => server.close())

  const store = (run: Run, name: string, text: string, expiresAt?: number): Promise<number> =>
    storeArtifact(server, run, { name, text, ...(expiresAt !== undefined && { expiresAt }) })
  const names = async (path: string): Promise<string[]> =>
    (await server.anonymous.get(path)).json.artifacts.map(({ name }: Any) => name)
  const download = (location: string | null): Promise<Response> => fetch(location!, { redirect: 'manual' })
  const linkTo = async (id: number): Promise<string | null> =>
    (await server.anonymous.get(`${ROOT}/artifacts/${id}/zip`)).headers.get('location')

  it('contain all members that clients read', async () => {
    const id = await store(first, 'report', 'PK')
    const url = `${server.url}/api/v1${ROOT}/artifacts/${id}`
    const shown = (await server.anonymous.get(`${ROOT}/artifacts/${id}`)).json
    expect(shown).toMatchObject({
      id,
      name: 'report',
      size_in_bytes: 2,
      url,
      archive_download_url: `${url}/zip`,
      expired: false,
      run_id: first.id,
      workflow_run: { id: first.id, repository_id: repo.id, head_sha: 'a'.repeat(40), html_url: '', status: '' },
      created_at: wireTime(START),
      updated_at: wireTime(START),
      expires_at: wireTime(START + 10 * DAY_MS),
    })
    const list = await server.anonymous.get(`${ROOT}/artifacts`)
    expect(list.json).toEqual({ artifacts: [shown], total_count: 1 })
    expect(list.headers.get('x-total-count')).toBe('1')
  })

  it('are listed by repository, run and exact name, by pages', async () => {
    await store(first, 'logs', 'PK1')
    await store(second, 'report', 'PK2', START + DAY_MS)
    await store(second, 'late', 'PK3', START + 100 * DAY_MS)
    expect(await names(`${ROOT}/artifacts`)).toEqual(['report', 'logs', 'report', 'late'])
    expect(await names(`${ROOT}/runs/${second.id}/artifacts`)).toEqual(['report', 'late'])
    expect(await names(`${ROOT}/artifacts?name=report`)).toEqual(['report', 'report'])
    expect(await names(`${ROOT}/artifacts?name=rep`)).toEqual([])
    expect(await names(`${ROOT}/runs/${first.id}/artifacts?name=logs`)).toEqual(['logs'])
    expect(await names(`${ROOT}/artifacts?limit=3&page=2`)).toEqual(['late'])
    const expiries = (await server.anonymous.get(`${ROOT}/runs/${second.id}/artifacts`)).json.artifacts
    expect(expiries.map((one: Any) => one.expires_at)).toEqual([
      wireTime(START + DAY_MS),
      wireTime(START + 10 * DAY_MS),
    ])
    for (const path of [`${ROOT}/runs/999999/artifacts`, `${ROOT}/runs/x/artifacts`])
      expect((await server.anonymous.get(path)).status).toBe(404)
  })

  it('are downloaded by a link without credentials', async () => {
    const id = await store(first, 'site ä', 'PK whole')
    const answer = await server.anonymous.get(`${ROOT}/artifacts/${id}/zip`)
    expect(answer.status).toBe(302)
    const file = await download(answer.headers.get('location'))
    expect([file.status, file.headers.get('content-type'), await file.text()]).toEqual([
      200,
      'application/zip',
      'PK whole',
    ])
    expect(file.headers.get('content-disposition')).toContain('attachment; filename="site _.zip"')
    expect(file.headers.get('content-length')).toBe('8')
  })

  it('are downloaded by ranges, and not again while the client has them', async () => {
    const link = await linkTo(await store(first, 'ranges', 'PK ranges'))
    await expectRanges((headers) => fetch(link!, { headers }), 'PK ranges')
  })

  it('refuse a link that is changed, of another artifact or older than an hour', async () => {
    const [id, other] = [await store(first, 'a', 'PK a'), await store(first, 'b', 'PK b')]
    const link = new URL((await linkTo(id))!)
    const raw = link.origin + link.pathname
    const sig = link.searchParams.get('sig')!
    const expires = link.searchParams.get('expires')!
    for (const wrong of [
      raw,
      `${raw}?sig=&expires=${expires}`,
      `${raw}?sig=x&expires=${expires}`,
      `${raw}?sig=${sig}&expires=${Number(expires) + 1}`,
      `${raw}?sig=${sig}&expires=-1`,
      link.href.replace(`artifacts/${id}`, `artifacts/${other}`),
      link.href.replace('/ann/r/', '/ann/other/'),
    ])
      expect((await download(wrong)).status).toBe(401)
    now += 3_599_000
    expect((await download(link.href)).status).toBe(200)
    now += 1000
    expect((await download(link.href)).status).toBe(401)
    now = START
  })

  it('of a hidden repository are for accounts that may see it', async () => {
    const hidden = await server.world.repo({ owner: ann, name: 'hid', isPrivate: true })
    const { run } = await createActionsFactory(server.app).run(hidden.id)
    const id = await store(run, 'secret', 'PK')
    for (const path of ['', `/${id}`, `/${id}/zip`])
      for (const client of [server.anonymous, bob.client])
        expect((await client.get(`/repos/ann/hid/actions/artifacts${path}`)).status).toBe(404)
    const { headers } = await ann.client.get(`/repos/ann/hid/actions/artifacts/${id}/zip`)
    expect((await download(headers.get('location'))).status).toBe(200)
    expect((await ann.client.get(`${ROOT}/artifacts/${id}`)).status).toBe(404)
    expect((await ann.client.get(`${ROOT}/artifacts/${id}/zip`)).status).toBe(404)
  })

  it('replace those with the same name in the run, also for concurrent uploads', async () => {
    const old = await store(second, 'twice', 'PK old')
    const { hash } = (await rows(server, 'action_artifact', { id: old }))[0]!
    const [made] = await Promise.all([store(second, 'twice', 'PK new'), store(second, 'twice', 'PK new')])
    expect(await names(`${ROOT}/runs/${second.id}/artifacts?name=twice`)).toEqual(['twice'])
    expect((await server.anonymous.get(`${ROOT}/artifacts/${old}`)).status).toBe(404)
    await server.drain()
    expect(await server.app.actionsBlobs.size(hash)).toBeUndefined()
    expect(made).not.toBe(old)
    const left = (await rows(server, 'action_artifact', { name: 'twice' }))[0]!
    expect(await (await download(await linkTo(left.id))).text()).toBe('PK new')
  })

  it('are deleted by accounts that may write the unit, with their bytes', async () => {
    const [id, same] = [await store(first, 'c', 'PK shared'), await store(second, 'c', 'PK shared')]
    const { hash } = (await rows(server, 'action_artifact', { id }))[0]!
    const one = `${ROOT}/artifacts/${id}`
    expect((await server.anonymous.delete(one)).status).toBe(401)
    expect((await bob.client.delete(one)).status).toBe(403)
    expect((await ann.client.delete(one)).status).toBe(204)
    expect((await ann.client.delete(one)).status).toBe(404)
    await server.drain()
    expect(await server.app.actionsBlobs.size(hash)).toBe(9)
    expect((await ann.client.delete(`${ROOT}/artifacts/${same}`)).status).toBe(204)
    await server.drain()
    expect(await server.app.actionsBlobs.size(hash)).toBeUndefined()
    for (const wrong of [999_999, 'x']) expect((await ann.client.delete(`${ROOT}/artifacts/${wrong}`)).status).toBe(404)
  })

  it('count in the quota of the owner, largest first', async () => {
    const big = 'x'.repeat(5000)
    await store(first, 'big', big)
    const used = (await ann.client.get('/user/quota')).json.used.size.assets.artifacts
    const list = await ann.client.get('/user/quota/artifacts')
    expect(list.json[0]).toEqual({
      name: 'big',
      size: 5000,
      html_url: `${server.url}/ann/r/actions/runs/${first.id}`,
    })
    expect(used).toBe(list.json.reduce((sum: number, { size }: Any) => sum + size, 0))
    await root.client.post('/admin/quota/groups', {
      name: 'none',
      rules: [{ name: 'no artifacts', limit: 0, subjects: ['size:assets:artifacts'] }],
    })
    await root.client.put('/admin/quota/groups/none/users/ann')
    await expect(store(first, 'more', 'PK')).rejects.toThrow('413')
    await root.client.delete('/admin/quota/groups/none')
  })

  it('expire: their bytes are deleted, their rows remain', async () => {
    const id = await store(first, 'short', 'PK short', START + 1000)
    const { hash } = (await rows(server, 'action_artifact', { id }))[0]!
    const link = await linkTo(id)
    now += 1000
    const shown = async (): Promise<boolean> =>
      (await server.anonymous.get(`${ROOT}/artifacts/${id}`)).json.expired as boolean
    expect(await shown()).toBe(true)
    expect((await server.anonymous.get(`${ROOT}/artifacts/${id}/zip`)).status).toBe(404)
    expect((await download(link)).status).toBe(404)
    expect(await server.app.actionsBlobs.size(hash)).toBe(8)
    expect((await root.client.post('/admin/cron/cleanup_actions')).status).toBe(204)
    await server.drain()
    expect(await server.app.actionsBlobs.size(hash)).toBeUndefined()
    expect(await shown()).toBe(true)
    expect((await ann.client.delete(`${ROOT}/artifacts/${id}`)).status).toBe(204)
    now = START
  })

  it('are deleted with their run, and a late upload leaves nothing', async () => {
    const id = await store(second, 'last', 'PK last')
    const late = await startJob(server, second)
    const { signedUploadUrl } = (await callResults(server, late, 'ArtifactService/CreateArtifact', { name: 'late' }))
      .json
    const { hash } = (await rows(server, 'action_artifact', { id }))[0]!
    expect((await ann.client.delete(`${ROOT}/runs/${second.id}`)).status).toBe(204)
    await server.drain()
    expect(await server.app.actionsBlobs.size(hash)).toBeUndefined()
    expect(await rows(server, 'action_artifact', { run_id: second.id })).toEqual([])
    expect((await fetch(signedUploadUrl, { method: 'PUT', body: 'PK too late' })).status).toBe(404)
    expect((await callResults(server, late, 'ArtifactService/FinalizeArtifact', { name: 'late' })).status).toBe(401)
    expect(await rows(server, 'action_upload', {})).toEqual([])
  })
})
