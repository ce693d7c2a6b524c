import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUCKET_TUNING, bucketSettings, localFiles } from '../core/blobs/fixture.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { eventually } from '../harness/event-stream.ts'
import { startS3, type S3TestServer } from '../harness/s3-server.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { refusalOf, uploadOf, UPLOADS } from './uploads.ts'

const TYPES = Object.entries(UPLOADS)
/** Registries of these types store any bytes. */
const OF_ANY_BYTES = new Set(['cargo', 'conan', 'generic', 'maven', 'npm', 'pypi'])
const authorization = `Basic ${btoa(`ann:${PASSWORD}`)}`

/** Publishes a file with this content in the form of the client. */
async function upload({ url }: TestServer, type: string, content: string): Promise<Response> {
  const [method, path] = UPLOADS[type]!
  const { body, headers } = uploadOf(type, content)
  return fetch(`${url}/api/packages/ann/${type}${path}`, { method, headers: { ...headers, authorization }, body })
}

const listed = async (ann: Person): Promise<string[]> =>
  (await ann.client.get('/packages/ann')).json.map(({ type }: { type: string }) => type)

describeOnBoth('the registry of each type', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  it('refuses an invalid package in the form of the client, and lists nothing', async () => {
    const contents = ['garbage', '', 'PK\x03\x04', '\x1f\x8b\x08', '!<arch>\n', '{"', '\0'.repeat(2000)]
    for (const [type] of TYPES.filter(([one]) => !OF_ANY_BYTES.has(one)))
      for (const content of contents) {
        const answer = await upload(server, type, content)
        const text = await answer.text()
        expect([type, content, answer.status, text]).toEqual([type, content, 400, expect.any(String)])
        const shape = Object.keys(JSON.parse(refusalOf(type, 400, '', '').replace(/^\n$/, '{}')) as object)
        expect([type, shape.length === 0 ? [] : Object.keys(JSON.parse(text) as object)]).toEqual([type, shape])
      }
    expect(await listed(ann)).toEqual([])
  })

  it('keeps nothing of an upload that stops in the middle', async () => {
    for (const [type, [method, path]] of TYPES) {
      const { body, headers } = uploadOf(type, 'x'.repeat(200_000))
      const sent = new Request(server.url, { method: 'POST', body, headers })
      const bytes = Buffer.from(await sent.arrayBuffer())
      const stopped = request(`${server.url}/api/packages/ann/${type}${path}`, {
        method,
        headers: { ...Object.fromEntries(sent.headers), authorization, 'content-length': bytes.length },
      })
      stopped.on('error', () => undefined)
      const ended = new Promise((resolve) => stopped.on('close', resolve))
      stopped.write(bytes.subarray(0, 100_000))
      if (type !== 'terraform')
        await eventually(() => localFiles(server.dataDir).length > 0, `nothing of ${type} arrives`)
      stopped.destroy()
      await ended
      await eventually(() => localFiles(server.dataDir).length === 0, `the bytes of ${type} stay`)
    }
    expect(await listed(ann)).toEqual([])
  })
})

describe('registries whose bucket is unavailable', () => {
  let s3: S3TestServer
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    s3 = await startS3()
    server = await startServer({ settings: bucketSettings(s3), tuning: BUCKET_TUNING })
    ann = await server.world.user('ann')
  })
  afterAll(async () => {
    await server.close()
    await s3.close()
  })

  it('say so in the form of each client, and list nothing', async () => {
    s3.fault = () => ({ status: 503, code: 'SlowDown' })
    const away = await (await upload(server, 'generic', '{"serial":1}')).text()
    for (const [type] of TYPES) {
      const answer = await upload(server, type, '{"serial":1}')
      const expected = refusalOf(type, 503, away.trim(), 'unavailable')
      expect([type, answer.status, await answer.text()]).toEqual([type, 503, expected])
    }
    const digest = `sha256:${createHash('sha256').update('layer').digest('hex')}`
    const layer = await fetch(`${server.url}/v2/ann/app/blobs/uploads/?digest=${digest}`, {
      method: 'POST',
      headers: { authorization },
      body: 'layer',
    })
    expect([layer.status, await layer.json()]).toEqual([
      503,
      { errors: [{ code: 'UNAVAILABLE', message: away.trim() }] },
    ])
    s3.fault = () => undefined
    expect(await listed(ann)).toEqual([])
    expect(localFiles(server.dataDir)).toEqual([])
  })

  it('say so to those who download', async () => {
    for (const type of ['npm', 'generic']) expect((await upload(server, type, 'bytes')).status).toBe(201)
    s3.fault = ({ operation }) => (operation === 'GetObject' ? { status: 503, code: 'SlowDown' } : undefined)
    const generic = await fetch(`${server.url}/api/packages/ann/generic/tool/1.0/f`)
    const npm = await fetch(`${server.url}/api/packages/ann/npm/tool/-/tool-1.0.0.tgz`)
    const message = (await generic.text()).trim()
    expect([generic.status, npm.status, await npm.text()]).toEqual([
      503,
      503,
      refusalOf('npm', 503, message, 'unavailable'),
    ])
  })
})
