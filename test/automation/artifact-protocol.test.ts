import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sha256Hex } from '../../src/core/platform/crypto/crypto.ts'
import type { Run } from '../../src/domains/automation/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { callResults, expectRanges, type ResultsAnswer, type RunningJob, startJob } from '../harness/artifacts.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'

const START = 1_800_000_000_000

describeOnBoth('artifact protocol v4', (kind) => {
  let server: TestServer
  let run: Run
  let [job, other] = [] as unknown as [RunningJob, RunningJob]
  let now = START

  beforeAll(async () => {
    server = await startServer({ on: kind, clock: { now: () => now } })
    const ann = await server.world.user('ann')
    const repo = await server.world.repo({ owner: ann, name: 'r' })
    const factory = createActionsFactory(server.app)
    run = (await factory.run(repo.id)).run
    job = await startJob(server, run)
    other = await startJob(server, (await factory.run(repo.id)).run)
  })
  afterAll(() => server.close())

  const call = (method: string, members: object, by = job): Promise<ResultsAnswer> =>
    callResults(server, by, `ArtifactService/${method}`, members)
  const begin = async (name: string, more: object = {}): Promise<string> =>
    (await call('CreateArtifact', { name, version: 4, ...more })).json.signedUploadUrl
  const put = (url: string, query: string, body: BodyInit): Promise<Response> =>
    fetch(`${url}${query}`, { method: 'PUT', body })
  const listOf = (...names: string[]): string =>
    `<?xml version="1.0" encoding="utf-8"?><BlockList>${names.map((name) => `<Latest>${name}</Latest>`).join('')}</BlockList>`
  const download = async (name: string): Promise<Response> =>
    fetch((await call('GetSignedArtifactURL', { name })).json.signedUrl)
  const stored = async (): Promise<number> => (await Array.fromAsync(server.app.actionsBlobs.list())).length

  it('joins blocks that arrive in any order, as the list orders them', async () => {
    const url = await begin('data', { unknown_member: { x: 1 } })
    expect([url.startsWith(server.url), /[?&](?:sig|expires)=[\w.-]+(?:&|$)/.test(url)]).toEqual([true, true])
    const sent = await Promise.all([
      put(url, '&comp=block&blockid=Mg%3D%3D', 'two '),
      put(url, '&comp=block&blockid=MQ%3D%3D', 'one '),
      put(url, '&comp=block&blockid=Mw%3D%3D', 'three'),
      put(url, '&comp=block&blockid=eA%3D%3D', 'never listed'),
    ])
    for (const answer of sent) expect([answer.status, await answer.text()]).toEqual([201, '"appended"'])
    const listed = await put(url, '&comp=blocklist', listOf('MQ==', 'Mg==', 'Mw=='))
    expect([listed.status, await listed.text()]).toEqual([201, '"created"'])
    const hash = sha256Hex('one two three')
    const made = await call('FinalizeArtifact', { name: 'data', size: '13', hash: `sha256:${hash}` })
    expect(made.json).toEqual({ ok: true, artifactId: expect.stringMatching(/^\d+$/) })
    expect(await call('FinalizeArtifact', { name: 'data', size: 13 })).toEqual(made)
    const { artifacts } = (await call('ListArtifacts', { name_filter: { value: 'data' } })).json
    expect(artifacts).toEqual([
      {
        workflowRunBackendId: String(run.id),
        workflowJobRunBackendId: String(job.jobId),
        databaseId: made.json.artifactId,
        name: 'data',
        size: '13',
        createdAt: expect.any(String),
        digest: `sha256:${hash}`,
      },
    ])
    expect((await call('ListArtifacts', { idFilter: made.json.artifactId })).json.artifacts).toEqual(artifacts)
    const file = await download('data')
    expect([file.headers.get('content-type'), await file.text()]).toEqual(['application/zip', 'one two three'])
    const { signedUrl } = (await call('GetSignedArtifactURL', { name: 'data' })).json
    await expectRanges((headers) => fetch(signedUrl, { headers }), 'one two three')
    await server.drain()
    expect(await stored()).toBe(1)
  })

  it('appends blocks in the order in which they arrive, and replaces the artifact of this name', async () => {
    const url = await begin('data')
    for (const text of ['a', 'b', 'c']) expect((await put(url, '&comp=appendBlock', text)).status).toBe(201)
    await call('FinalizeArtifact', { name: 'data', size: '3' })
    expect(await (await download('data')).text()).toBe('abc')
    await server.drain()
    expect(await stored()).toBe(1)
  })

  it('keeps the media type of a file that is not an archive, which no browser runs', async () => {
    const url = await begin('page.html', { version: 7, mime_type: 'text/html' })
    expect((await put(url, '', '<script>')).status).toBe(201)
    await call('FinalizeArtifact', { name: 'page.html', size: '8' })
    const file = await download('page.html')
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'content-security-policy': expect.stringContaining('sandbox'),
    })
  })

  it('serves a range, and says which ranges there are', async () => {
    const { signedUrl } = (await call('GetSignedArtifactURL', { name: 'data' })).json
    const part = await fetch(signedUrl, { headers: { range: 'bytes=1-' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 1-2/3', 'bc'])
    expect((await fetch(signedUrl, { headers: { range: 'bytes=9-' } })).status).toBe(416)
    const head = await fetch(signedUrl, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '3'])
  })

  it('refuses another size or hash, blocks that were not sent, and lists that name them', async () => {
    const url = await begin('lies')
    await put(url, '&comp=block&blockid=a', 'real')
    for (const wrong of [listOf('a', 'b'), listOf('a', 'a'), 'no list', '<BlockList>'.repeat(200_000)])
      expect((await put(url, '&comp=blocklist', wrong)).status).toBeGreaterThanOrEqual(400)
    await put(url, '&comp=blocklist', listOf('a'))
    for (const wrong of [{ size: '5' }, { size: 'x' }, { size: '4', hash: `sha256:${'0'.repeat(64)}` }]) {
      const answer = await call('FinalizeArtifact', { name: 'lies', ...wrong })
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_argument'])
    }
    expect((await call('GetSignedArtifactURL', { name: 'lies' })).status).toBe(404)
    expect((await call('FinalizeArtifact', { name: 'lies', size: '4' })).status).toBe(200)
    expect((await call('FinalizeArtifact', { name: 'lies', size: '5' })).status).toBe(400)
  })

  it('refuses names that are paths or contain control characters', async () => {
    for (const name of ['', '..', 'a/b', String.raw`a\b`, 'a\u0000', 'a\u001B[31m', 'a\n', 'x'.repeat(256), 7, null])
      expect((await call('CreateArtifact', { name, version: 4 })).status).toBe(400)
    expect(await rows(server, 'action_upload')).toEqual([])
  })

  it('refuses links that are forged, changed or expired', async () => {
    const url = await begin('linked')
    const parts = new URL(url)
    const altered = (name: string, value: string): string => {
      const copy = new URL(parts)
      copy.searchParams.set(name, value)
      return copy.href
    }
    for (const wrong of [
      altered('sig', 'v2.00.AA'),
      altered('sig', ''),
      altered('expires', String(now)),
      altered('artifactID', '1'),
      url.replace('artifactID=', 'repoID=1&artifactID=').replace('Upload', 'Download'),
    ]) {
      const method = wrong.includes('Download') ? 'GET' : 'PUT'
      const answer = await fetch(wrong, method === 'GET' ? {} : { method, body: 'x' })
      expect(answer.status).toBe(401)
    }
    now += 3_600_000
    expect((await put(url, '&comp=block&blockid=a', 'x')).status).toBe(401)
    now = START
    expect((await put(url, '&comp=block&blockid=a', 'x')).status).toBe(201)
  })

  it('keeps artifacts of one run from jobs of others', async () => {
    expect((await call('ListArtifacts', {}, other)).json).toEqual({ artifacts: [] })
    const foreign = { workflow_run_backend_id: String(run.id), name: 'data' }
    const answer = await call('GetSignedArtifactURL', foreign, other)
    expect([answer.status, answer.json.msg]).toEqual([400, 'run-id does not match'])
    expect((await call('GetSignedArtifactURL', { name: 'data' }, other)).status).toBe(404)
    expect((await call('DeleteArtifact', { name: 'data' }, other)).status).toBe(404)
  })

  it('requires a token of a running task', async () => {
    const ended = await startJob(server, run)
    const { signedUploadUrl: url } = (await call('CreateArtifact', { name: 'late' }, ended)).json
    await put(url, '&comp=block&blockid=a', 'x')
    await server.app.database.transaction(async (tx) => {
      await tx.updateTable('action_task').set({ status: 'failure' }).where('id', '=', ended.taskId).execute()
    })
    for (const by of [ended, { ...job, token: 'forged' }, { ...job, token: `${job.token}x` }])
      expect((await call('FinalizeArtifact', { name: 'late', size: '1' }, by)).status).toBe(401)
    expect((await put(url, '&comp=block&blockid=b', 'x')).status).toBe(404)
    const anonymous = await fetch(`${server.url}/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts`, {
      method: 'POST',
      body: '{}',
    })
    expect(anonymous.status).toBe(401)
  })

  it('leaves nothing of a block that breaks off', async () => {
    const url = await begin('cut')
    const before = await stored()
    const abort = new AbortController()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(randomBytes(200_000)),
      pull: () => abort.abort(),
    })
    const init = { method: 'PUT', body, signal: abort.signal, duplex: 'half' } as const
    await expect(fetch(`${url}&comp=block&blockid=a`, init)).rejects.toThrow()
    await put(url, '&comp=block&blockid=b', 'whole')
    expect((await rows(server, 'action_upload_block')).filter(({ name }) => name === 'b' || name === 'a')).not.toEqual(
      [],
    )
    expect(await stored()).toBe(before + 1)
    expect((await put(url, '&comp=blocklist', listOf('a'))).status).toBe(400)
  })

  it('deletes artifacts for jobs, and uploads that were abandoned for a day', async () => {
    const { json } = await call('DeleteArtifact', { name: 'data' })
    expect(json).toEqual({ ok: true, artifactId: expect.any(String) })
    expect((await call('DeleteArtifact', { name: 'data' })).status).toBe(404)
    expect((await rows(server, 'action_upload')).length).toBeGreaterThan(0)
    now += 24 * 3_600_000 + 1
    await server.app.database.transaction((tx) => server.app.jobs.enqueue(tx, 'actions.expire', {}))
    await server.drain()
    expect(await rows(server, 'action_upload')).toEqual([])
    expect(await rows(server, 'action_upload_block')).toEqual([])
    expect(await stored()).toBe(2)
    now = START
  })
})
