import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BUCKET_TUNING, bucketSettings, localFiles } from '../core/blobs/fixture.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { eventually } from '../harness/event-stream.ts'
import { startS3, type S3TestServer } from '../harness/s3-server.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

describeOnBoth('packages in a bucket', (kind) => {
  let s3: S3TestServer
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    s3 = await startS3()
    const settings = bucketSettings(s3, { 'storage.redirect': 'true' })
    server = await startServer({ on: kind, settings, tuning: BUCKET_TUNING })
    ann = await server.world.user('ann')
  })
  afterAll(async () => {
    await server.close()
    await s3.close()
  })

  const call = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Basic ${btoa(`ann:${PASSWORD}`)}`, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
  const generic = (path: string): string => `/api/packages/ann/generic/${path}`

  it('are stored there, sent by redirects, and deleted by the sweep', async () => {
    expect((await call('PUT', generic('tool/1.0/f'), 'the bytes')).status).toBe(201)
    expect(localFiles(server.dataDir)).toEqual([])
    const answer = await call('GET', generic('tool/1.0/f'))
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
    const sent = await fetch(answer.headers.get('location')!)
    expect([sent.status, await sent.text()]).toEqual([200, 'the bytes'])
    expect((await call('HEAD', generic('tool/1.0/f'))).status).toBe(200)
    expect((await call('DELETE', generic('tool/1.0'))).status).toBe(204)
    await server.app.packageContents.sweep(new AbortController().signal)
    expect((await fetch(answer.headers.get('location')!)).status).toBe(404)
  })

  it('are sent there while a layer arrives whose digest the client announced', async () => {
    const bytes = 'l'.repeat(24 * 1024 * 1024)
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    const isStored = (): boolean => [...s3.objects.keys()].some((key) => key.endsWith(digest.slice('sha256:'.length)))
    const isSending = (): boolean => s3.requests.some(({ operation }) => operation === 'UploadPart')
    const push = (end: string) =>
      call('POST', '/v2/ann/app/blobs/uploads/').then((started) =>
        fetch(`${server.url}${started.headers.get('location')!}?digest=${digest}`, {
          method: 'PUT',
          headers: { authorization: `Basic ${btoa(`ann:${PASSWORD}`)}` },
          body: Readable.toWeb(Readable.from(slowly(bytes, end, isSending), { objectMode: false })) as ReadableStream,
          duplex: 'half',
        } as RequestInit),
      )
    const refused = await push('more')
    expect([refused.status, await refused.json()]).toMatchObject([400, { errors: [{ code: 'DIGEST_INVALID' }] }])
    expect([isStored(), s3.uploads.size]).toEqual([false, 0])
    expect((await push('')).status).toBe(201)
    expect(isStored()).toBe(true)
    expect(localFiles(server.dataDir)).toEqual([])
  })

  it('are not listed when the bucket fails, and can be published after that', async () => {
    s3.fault = ({ operation }) => (operation === 'PutObject' ? { status: 503, code: 'SlowDown' } : undefined)
    const refused = await call('PUT', generic('down/1.0/f'), 'the bytes')
    expect(refused.status).toBeGreaterThanOrEqual(500)
    expect((await ann.client.get('/packages/ann/generic/down')).status).toBe(404)
    s3.fault = () => undefined
    expect((await call('PUT', generic('down/1.0/f'), 'the bytes')).status).toBe(201)
    expect((await call('GET', generic('down/1.0/f'))).status).toBe(302)
  })
})

/** The end comes when the bucket has got a part. */
async function* slowly(bytes: string, end: string, isSending: () => boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(bytes)
  await eventually(isSending, 'no part was sent to the bucket before the upload ended')
  if (end !== '') yield Buffer.from(end)
}
