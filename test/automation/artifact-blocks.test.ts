import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runChecks } from '../../src/app/doctor.ts'
import { sha256Hex } from '../../src/core/platform/crypto/crypto.ts'
import type { Run } from '../../src/domains/automation/index.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { BUCKET_TUNING, bucketSettings } from '../core/blobs/fixture.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { callResults, type ResultsAnswer, type RunningJob, startJob } from '../harness/artifacts.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { rows } from '../harness/expect.ts'
import { startS3, type S3TestServer } from '../harness/s3-server.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const MIB = 1024 ** 2
const [A, B, C] = [randomBytes(6 * MIB), randomBytes(6 * MIB), randomBytes(5 * MIB)] as const
const WHOLE = Buffer.concat([A, B, C])
const HASH = sha256Hex(WHOLE)

describeOnBoth('artifacts that are larger than their blocks', (kind) => {
  let server: TestServer
  let ann: Person
  let repo: Repo
  let run: Run
  let job: RunningJob

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    repo = await server.world.repo({ owner: ann, name: 'r' })
    run = (await createActionsFactory(server.app).run(repo.id)).run
    job = await startJob(server, run)
  })
  afterAll(() => server.close())

  const client = () => artifactClient(() => server, job)
  const stored = async (): Promise<number> => (await Array.fromAsync(server.app.actionsBlobs.list())).length

  it('are stored as the blocks that arrived, each once, and read as one file', async () => {
    const { send, list, finish, download } = client()
    const url = await client().begin('data')
    for (const [name, body] of [
      ['c', C],
      ['a', A],
      ['x', Buffer.from('not listed')],
      ['b', B],
    ] as const)
      expect(await send(url, name, body)).toBe(201)
    expect(await list(url, ['a', 'b', 'c'])).toBe(201)
    expect((await finish('data', WHOLE)).status).toBe(200)
    await server.drain()
    expect(await stored()).toBe(3)
    const file = await download('data')
    expect([file.headers.get('content-length'), file.headers.get('etag')]).toEqual([String(WHOLE.length), `"${HASH}"`])
    expect(sha256Hex(Buffer.from(await file.arrayBuffer()))).toBe(HASH)
    for (const [start, end] of [
      [0, 0],
      [A.length - 1, A.length],
      [10, A.length + B.length + 10],
      [A.length, A.length + B.length - 1],
      [WHOLE.length - 5, WHOLE.length - 1],
    ] as const) {
      const part = await download('data', { range: `bytes=${start}-${end}` })
      expect(part.status).toBe(206)
      expect(Buffer.from(await part.arrayBuffer()).equals(WHOLE.subarray(start, end + 1))).toBe(true)
    }
    const listed = (await client().call('ListArtifacts', { name_filter: { value: 'data' } })).json.artifacts
    expect(listed).toMatchObject([{ digest: `sha256:${HASH}`, size: String(WHOLE.length) }])
  })

  it('share blocks with other files, and delete blocks that no other file uses', async () => {
    const before = await stored()
    const url = await client().begin('more')
    const D = randomBytes(11 * MIB)
    await client().send(url, 'a', A)
    await client().send(url, 'd', D)
    await client().list(url, ['d', 'a'])
    expect((await client().finish('more', Buffer.concat([D, A]))).status).toBe(200)
    expect(await stored()).toBe(before + 1)
    expect((await client().call('DeleteArtifact', { name: 'more' })).status).toBe(200)
    await server.drain()
    expect(await stored()).toBe(before)
    expect(sha256Hex(Buffer.from(await (await client().download('data')).arrayBuffer()))).toBe(HASH)
  })

  it('have the bytes of a block that was sent again, and refuse a file that differs from the announced one', async () => {
    const url = await client().begin('again')
    await client().send(url, 'a', B)
    await client().send(url, 'b', B)
    await client().send(url, 'c', C)
    await client().list(url, ['a', 'b', 'c'])
    const wrong = await client().finish('again', WHOLE)
    expect([wrong.status, wrong.json.msg]).toEqual([400, '[hash]: the upload does not have this SHA-256'])
    expect((await client().call('GetSignedArtifactURL', { name: 'again' })).status).toBe(404)
    await client().send(url, 'a', A)
    expect((await client().finish('again', WHOLE)).status).toBe(200)
    expect(sha256Hex(Buffer.from(await (await client().download('again')).arrayBuffer()))).toBe(HASH)
    await client().call('DeleteArtifact', { name: 'again' })
  })

  it('are not completed with a block that another request replaces concurrently', async () => {
    const url = await client().begin('raced')
    const parts = [randomBytes(9 * MIB), randomBytes(9 * MIB)] as const
    await client().send(url, 'a', parts[0])
    await client().send(url, 'b', parts[1])
    await client().list(url, ['a', 'b'])
    const { actionsBlobs } = server.app
    const feed = actionsBlobs.feed.bind(actionsBlobs)
    let isReplaced = false
    actionsBlobs.feed = async (hash, sum) => {
      if (!isReplaced) {
        isReplaced = true
        await client().send(url, 'a', parts[1])
      }
      return feed(hash, sum)
    }
    try {
      const answer = await client().call('FinalizeArtifact', { name: 'raced', size: String(18 * MIB) })
      expect([answer.status, answer.json.code]).toEqual([409, 'already_exists'])
    } finally {
      actionsBlobs.feed = feed
    }
    expect(await rows(server, 'action_artifact', { name: 'raced' })).toEqual([])
    expect((await client().finish('raced', Buffer.concat([parts[1], parts[1]]))).status).toBe(200)
    await client().call('DeleteArtifact', { name: 'raced' })
    await server.drain()
  })

  it('are found damaged by the doctor', async () => {
    const hash = sha256Hex(B)
    await server.app.actionsBlobs.delete(hash, async () => false)
    const found: string[] = []
    for await (const { findings } of runChecks(server.app.checks, { fix: false, quick: true }))
      found.push(...findings.map(({ what }) => what))
    expect(found.join()).toContain('ann/r: block of data')
    await server.app.actionsBlobs.put([B])
  })

  it('are deleted with their run and with their repository', async () => {
    const other = await server.world.repo({ owner: ann, name: 'gone' })
    const { run: lost } = await createActionsFactory(server.app).run(other.id)
    const by = artifactClient(() => server, await startJob(server, lost))
    const url = await by.begin('data')
    const D = randomBytes(12 * MIB)
    await by.send(url, 'd', D)
    await by.send(url, 'a', A)
    await by.list(url, ['d', 'a'])
    expect((await by.finish('data', Buffer.concat([D, A]))).status).toBe(200)
    expect(await stored()).toBe(4)
    expect((await ann.client.delete('/repos/ann/gone')).status).toBe(204)
    await server.drain()
    expect(await stored()).toBe(3)
    expect((await ann.client.delete(`/repos/ann/r/actions/runs/${run.id}`)).status).toBe(204)
    await server.drain()
    expect(await stored()).toBe(0)
    expect(await rows(server, 'action_stored_block')).toEqual([])
  })
})

describeOnBoth('artifacts in blocks in a bucket', (kind) => {
  let s3: S3TestServer
  let server: TestServer
  let job: RunningJob

  const open = async (redirect: string): Promise<void> => {
    s3 = await startS3()
    const settings = bucketSettings(s3, { 'storage.redirect': redirect })
    server = await startServer({ on: kind, settings, tuning: BUCKET_TUNING })
    const ann = await server.world.user('ann')
    const repo = await server.world.repo({ owner: ann, name: 'r' })
    job = await startJob(server, (await createActionsFactory(server.app).run(repo.id)).run)
  }
  const close = async (): Promise<void> => {
    await server.close()
    await s3.close()
  }

  it.for([
    { redirect: 'false', objects: 3, status: 200 },
    { redirect: 'true', objects: 1, status: 302 },
  ])('are $objects objects when redirects are $redirect', async ({ redirect, objects, status }) => {
    await open(redirect)
    try {
      const { begin, send, list, finish, download } = artifactClient(() => server, job)
      const url = await begin('data')
      for (const [name, body] of [
        ['b', B],
        ['a', A],
        ['c', C],
      ] as const)
        expect(await send(url, name, body)).toBe(201)
      await list(url, ['a', 'b', 'c'])
      expect((await finish('data', WHOLE)).status).toBe(200)
      await server.drain()
      expect(await Array.fromAsync(server.app.actionsBlobs.list())).toHaveLength(objects)
      const answer = await download('data', {}, 'manual')
      expect(answer.status).toBe(status)
      const bytes = status === 302 ? await fetch(answer.headers.get('location')!) : answer
      expect(sha256Hex(Buffer.from(await bytes.arrayBuffer()))).toBe(HASH)
    } finally {
      await close()
    }
  })
})

function artifactClient(server: () => TestServer, job: RunningJob) {
  const call = (method: string, members: object): Promise<ResultsAnswer> =>
    callResults(server(), job, `ArtifactService/${method}`, members)
  const put = async (url: string, query: string, body: BodyInit): Promise<number> =>
    (await fetch(`${url}${query}`, { method: 'PUT', body })).status
  return {
    call,
    begin: async (name: string): Promise<string> =>
      (await call('CreateArtifact', { name, version: 4 })).json.signedUploadUrl,
    send: (url: string, block: string, body: Buffer): Promise<number> =>
      put(url, `&comp=block&blockid=${block}`, body as BodyInit),
    list: (url: string, blocks: readonly string[]): Promise<number> =>
      put(
        url,
        '&comp=blocklist',
        `<BlockList>${blocks.map((name) => `<Latest>${name}</Latest>`).join('')}</BlockList>`,
      ),
    finish: (name: string, whole: Buffer): Promise<ResultsAnswer> =>
      call('FinalizeArtifact', { name, size: String(whole.length), hash: `sha256:${sha256Hex(whole)}` }),
    download: async (
      name: string,
      headers: Record<string, string> = {},
      redirect: RequestRedirect = 'follow',
    ): Promise<Response> => fetch((await call('GetSignedArtifactURL', { name })).json.signedUrl, { headers, redirect }),
  }
}
