import { afterAll, beforeAll, expect, it } from 'vitest'
import { zstdCompressSync } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { buffer } from 'node:stream/consumers'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const ROOT = '/repos/ann/r/actions'

/** The texts of the entries by name. */
async function unzip(zip: Buffer): Promise<Record<string, string>> {
  const file = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(zip, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  const texts: Record<string, string> = {}
  return new Promise((resolve, reject) => {
    file.on('entry', (entry: Entry) =>
      file.openReadStream(entry, (error, stream) => {
        if (error) return reject(error)
        buffer(stream).then((bytes) => {
          texts[entry.fileName] = bytes.toString()
          file.readEntry()
        }, reject)
      }),
    )
    file.on('end', () => resolve(texts))
    file.on('error', reject)
    file.readEntry()
  })
}

describeOnBoth('logs', (kind) => {
  let server: TestServer
  let [ann, bob] = [] as unknown as [Person, Person]
  let factory: ReturnType<typeof createActionsFactory>
  let repo: Repo
  let runId = 0
  let [build, test, lint] = [0, 0, 0]
  let token = ''
  const sealedText = Array.from({ length: 20_000 }, (_, n) => `sealed line ${n} ä\n`).join('')

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    repo = await server.world.repo({ owner: ann, name: 'r', isPrivate: true })
    token = await ann.token('all')
    factory = createActionsFactory(server.app)
    const made = await factory.run(repo.id, {
      jobs: {
        build: { status: 'running', name: 'Build ../it / "all"' },
        test: { status: 'success' },
        lint: { status: 'waiting' },
      },
    })
    runId = made.run.id
    ;[build, test, lint] = made.jobs as [number, number, number]
    await factory.task(repo.id, build, { attempt: 1, status: 'failure', log: ['first attempt\n'] })
    await factory.task(repo.id, build, { attempt: 2, status: 'running', log: ['one\n', 'two ä\n', 'three\n'] })
    const blob = await server.app.actionsBlobs.put([zstdCompressSync(sealedText)])
    await factory.task(repo.id, test, {
      sealed: { hash: blob.hash, size: Buffer.byteLength(sealedText), encoding: 'zstd' },
    })
  })
  afterAll(() => server.close())

  const rangeOf = (job: number, range: string): Promise<Response> =>
    fetch(`${server.url}/api/v1${ROOT}/jobs/${job}/logs`, {
      headers: { authorization: `token ${token}`, range },
    })

  it('of a job are read by ranges of bytes, also while it runs', async () => {
    const live = await rangeOf(build, 'bytes=4-9')
    expect([live.status, live.headers.get('content-range'), await live.text()]).toEqual([206, 'bytes 4-9/17', 'two ä'])
    const rest = await rangeOf(build, 'bytes=11-')
    expect([rest.status, await rest.text()]).toEqual([206, 'three\n'])
    for (const [start, end] of [
      [0, 9],
      [100_000, 300_000],
      [Buffer.byteLength(sealedText) - 5, Buffer.byteLength(sealedText) - 1],
    ] as const) {
      const part = await rangeOf(test, `bytes=${start}-${end}`)
      expect([part.status, part.headers.get('content-length')]).toEqual([206, String(end - start + 1)])
      expect(Buffer.from(await part.arrayBuffer())).toEqual(Buffer.from(sealedText).subarray(start, end + 1))
    }
    const behind = await rangeOf(build, 'bytes=17-')
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */17'])
    const whole = await ann.client.get(`${ROOT}/jobs/${test}/logs`)
    expect([whole.headers.get('accept-ranges'), whole.text]).toEqual(['bytes', sealedText])
  })

  it('of an earlier attempt are read by its number', async () => {
    const path = `${ROOT}/jobs/${build}/logs`
    expect((await ann.client.get(`${path}?attempt=1`)).text).toBe('first attempt\n')
    expect((await ann.client.get(`${path}?attempt=2`)).text).toBe('one\ntwo ä\nthree\n')
    expect((await ann.client.get(`${path}?attempt=3`)).status).toBe(404)
  })

  it('of a run are one zip file, with an entry for a log that is missing', async () => {
    const lost = await factory.job({ id: runId, repoId: repo.id }, 'lost')
    await factory.task(repo.id, lost, { sealed: { hash: 'f'.repeat(64), size: 10 } })
    const answer = await fetch(`${server.url}/api/v1${ROOT}/runs/${runId}/logs`, {
      headers: { authorization: `token ${token}` },
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const texts = await unzip(Buffer.from(await answer.arrayBuffer()))
    expect(texts).toEqual({
      [`Build .._it _ _all_-${build}-attempt-2.log`]: 'one\ntwo ä\nthree\n',
      [`test-${test}-attempt-1.log`]: sealedText,
      [`lint-${lint}-attempt-0.log.MISSING`]: '',
      [`lost-${lost}-attempt-1.log.MISSING`]: '',
    })
  })

  it('of a run are for signed-in users who may read it', async () => {
    const path = `${ROOT}/runs/${runId}/logs`
    expect((await server.anonymous.get(path)).status).toBe(404)
    expect((await bob.client.get(path)).status).toBe(404)
    expect((await (await ann.withToken('read:user')).get(path)).status).toBe(403)
    expect((await ann.client.get(`${ROOT}/runs/999999/logs`)).status).toBe(404)
    const other = await server.world.repo({ owner: ann, name: 'other' })
    expect((await ann.client.get(`/repos/ann/${other.name}/actions/runs/${runId}/logs`)).status).toBe(404)
    const { run } = await factory.run(other.id)
    expect((await server.anonymous.get(`/repos/ann/${other.name}/actions/runs/${run.id}/logs`)).status).toBe(401)
    expect((await bob.client.get(`/repos/ann/${other.name}/actions/runs/${run.id}/logs`)).status).toBe(200)
  })
})
