import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runChecks } from '../../../src/app/doctor.ts'
import type { Finding } from '../../../src/core/module.ts'
import { startS3, type S3TestServer } from '../../harness/s3-server.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { BUCKET_TUNING, bucketSettings, lfsOf, localFiles, oidOf, readBody } from './fixture.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let s3: S3TestServer
let server: TestServer
let alice: Person
let bob: Person
let lfs: ReturnType<typeof lfsOf>
beforeAll(async () => {
  s3 = await startS3()
  server = await startServer({ settings: bucketSettings(s3, { 'storage.prefix': 'one' }), tuning: BUCKET_TUNING })
  alice = await server.world.user('alice')
  bob = await server.world.user('bob')
  await server.world.repo({ owner: alice, name: 'r', isPrivate: true, autoInit: true })
  lfs = lfsOf(server, 'alice/r')
})
afterAll(async () => {
  await server.close()
  await s3.close()
})

async function attach(on: TestServer, person: Person, text: string): Promise<string> {
  const tag = { tag_name: `v${oidOf(Buffer.from(text)).slice(0, 8)}` }
  const { id } = (await person.client.post(`/repos/${person.name}/r/releases`, tag)).json
  const answer = await fetch(`${on.url}/api/v1/repos/${person.name}/r/releases/${id}/assets?name=notes.txt`, {
    method: 'POST',
    headers: { authorization: `token ${await person.token('all')}`, 'content-type': 'application/octet-stream' },
    body: text,
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { browser_download_url: string }).browser_download_url
}

const examine = async (on: TestServer, options: { fix?: boolean; quick?: boolean } = {}): Promise<Finding[]> => {
  const findings: Finding[] = []
  for await (const result of runChecks(on.app.checks, { fix: false, quick: false, ...options }))
    findings.push(...result.findings)
  return findings
}

const withToken = async (person: Person): Promise<{ headers: Record<string, string>; redirect: 'manual' }> => ({
  headers: { authorization: `token ${await person.token('all')}` },
  redirect: 'manual',
})

describe('files in a bucket', () => {
  it('are stored and served as local ones, and deleted with their rows', async () => {
    const large = await lfs.put(alice)
    expect(large.status).toBe(200)
    expect((await readBody(await lfs.get(alice, large.oid))).equals(large.bytes)).toBe(true)
    const part = await lfs.get(alice, large.oid, { headers: { range: 'bytes=10-19' } })
    expect([part.status, (await readBody(part)).equals(large.bytes.subarray(10, 20))]).toEqual([206, true])
    expect((await lfs.get(bob, large.oid)).status).toBe(401)
    const { json: batch } = await lfs.batch(alice, large.oid, large.bytes.length)
    expect(batch.objects[0]!.actions.download.href).toBe(`${server.url}/alice/r.git/info/lfs/objects/${large.oid}`)

    const notes = await fetch(await attach(server, alice, 'some notes'), await withToken(alice))
    expect([notes.status, await notes.text()]).toEqual([200, 'some notes'])
    expect((await alice.client.post('/user/avatar', { image: PIXEL })).status).toBe(204)
    const picture = await fetch((await alice.client.get('/user')).json.avatar_url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])

    expect(localFiles(server.dataDir)).toEqual([])
    expect([...s3.objects.keys()].map((key) => key.split('/').slice(0, 2).join('/')).toSorted()).toEqual(
      ['attachments', 'avatars', 'lfs'].map((store) => `one/${store}`),
    )
    expect(await examine(server)).toEqual([])
    await server.app.lfsObjects.sweep(new AbortController().signal)
    expect(s3.objects.has(`one/lfs/${large.oid}`)).toBe(true)
    expect((await alice.client.delete('/user/avatar')).status).toBe(204)
    await server.drain()
    expect([...s3.objects.keys()].some((key) => key.startsWith('one/avatars/'))).toBe(false)
  })

  it('answer 503 while the bucket is unavailable; all else works', async () => {
    const { oid } = await lfs.put(alice)
    const url = await attach(server, alice, 'more notes')
    await s3.goAway()
    const [file, asset, wrong] = [
      await lfs.get(alice, oid),
      await fetch(url, await withToken(alice)),
      await lfs.put(alice),
    ]
    expect([file.status, asset.status, wrong.status]).toEqual([503, 503, 503])
    expect(await file.json()).toEqual({ Message: 'the store of files does not answer, try again later' })
    expect((await alice.client.post('/repos/alice/r/issues', { title: 'still there' })).status).toBe(201)
    expect((await alice.client.get('/repos/alice/r/contents/README.md')).status).toBe(200)
    const findings = (await examine(server, { quick: true })).map(({ what }) => what)
    expect(findings[0]).toMatch(/^the bucket cannot be used: /)
    expect(findings[1]).toMatch(/and those after it were not checked: the store of files does not answer/)
    await s3.comeBack()
    expect((await lfs.get(alice, oid)).status).toBe(200)
    expect((await lfs.get(alice, wrong.oid)).status).toBe(404)
  })

  it('are examined by the doctor, who aborts old uploads', async () => {
    const { oid } = await lfs.put(alice)
    const object = s3.objects.get(`one/lfs/${oid}`)!
    const whole = object.body
    object.body = Buffer.from(whole.map((byte) => byte ^ 1))
    expect(await examine(server)).toEqual([
      { what: `alice/r: large file ${oid} is damaged: restore ${oid} from a backup`, state: 'problem' },
    ])
    object.body = whole
    s3.uploads.set('old', { key: 'one/lfs/x', parts: new Map(), begunAt: Date.now() - 50 * 3_600_000 })
    s3.uploads.set('new', { key: 'one/lfs/y', parts: new Map(), begunAt: Date.now() })
    s3.uploads.set('foreign', { key: 'two/lfs/z', parts: new Map(), begunAt: 0 })
    const said = '1 uploads to the bucket are incomplete; the server aborts them daily'
    expect(await examine(server)).toEqual([{ what: said, state: 'note' }])
    await server.app.database.transaction((tx) => server.app.jobs.enqueue(tx, 'storage.clean', {}))
    await server.drain()
    expect([...s3.uploads.keys()]).toEqual(['new', 'foreign'])
    s3.fault = ({ operation }) => (operation === 'PutObject' ? { status: 403, code: 'AccessDenied' } : undefined)
    expect(await examine(server)).toEqual([
      { what: expect.stringMatching(/^the bucket cannot be used: HTTP 403 AccessDenied/), state: 'problem' },
    ])
    s3.fault = () => undefined
  })
})

describe('storage.redirect', () => {
  let redirecting: TestServer
  let carol: Person
  beforeAll(async () => {
    const more = { 'storage.prefix': 'two', 'storage.redirect': 'true' }
    redirecting = await startServer({ settings: bucketSettings(s3, more), tuning: BUCKET_TUNING })
    carol = await redirecting.world.user('carol')
    await redirecting.world.repo({ owner: carol, name: 'r', isPrivate: true, autoInit: true })
  })
  afterAll(() => redirecting.close())

  it('redirects only users who may read the file to the bucket', async () => {
    const requests = lfsOf(redirecting, 'carol/r')
    const { oid, bytes } = await requests.put(carol)
    const { json: batch } = await requests.batch(carol, oid, bytes.length)
    const { authenticated, actions } = batch.objects[0]!
    expect([authenticated, actions.download.expires_in, actions.download.header]).toEqual([true, 900, undefined])
    expect(actions.download.href.startsWith(`${s3.url}/files/two/lfs/${oid}?`)).toBe(true)
    expect((await readBody(await fetch(actions.download.href))).equals(bytes)).toBe(true)
    expect((await fetch(actions.download.href.replace(oid, oidOf(Buffer.from('x'))))).status).toBe(403)
    const file = await requests.get(carol, oid, { redirect: 'manual' })
    expect([file.status, file.headers.get('cache-control')]).toEqual([302, 'no-store'])
    expect((await readBody(await fetch(file.headers.get('location')!))).equals(bytes)).toBe(true)
    expect((await requests.batch(undefined, oid, bytes.length)).status).toBe(401)
    expect((await requests.get(undefined, oid, { redirect: 'manual' })).status).toBe(401)

    const url = await attach(redirecting, carol, '<script>alert(1)</script>')
    const asset = await fetch(url, await withToken(carol))
    expect(asset.status).toBe(302)
    const page = await fetch(asset.headers.get('location')!)
    expect([await page.text(), page.headers.get('content-type')]).toEqual([
      '<script>alert(1)</script>',
      'text/plain; charset=utf-8',
    ])
    expect(page.headers.get('content-disposition')).toMatch(/^attachment; filename="notes\.txt"/)
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(404)
    const head = await fetch(url, { ...(await withToken(carol)), method: 'HEAD' })
    expect(head.status).toBe(200)
  })
})
