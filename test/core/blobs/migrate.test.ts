import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCore } from '../../../src/app/modules.ts'
import { migrateStoredFiles } from '../../../src/app/storage.ts'
import { createBlobStores } from '../../../src/core/blobs/index.ts'
import { runCli } from '../../../src/cli/index.ts'
import { loadConfig } from '../../../src/core/config/index.ts'
import { temporaryFolder, type Folder } from '../../harness/process.ts'
import { startS3, type S3TestServer } from '../../harness/s3-server.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { asFlags, BUCKET_TUNING, bucketSettings, lfsOf, localFiles, readBody } from './fixture.ts'

const COUNT = 9

let s3: S3TestServer
let folder: Folder
let server: TestServer
let alice: Person
let lfs: ReturnType<typeof lfsOf>
const stored: { oid: string; bytes: Buffer }[] = []
beforeAll(async () => {
  s3 = await startS3()
  folder = temporaryFolder()
  server = await startServer({ settings: bucketSettings(s3, { 'storage.kind': 'local' }), tuning: BUCKET_TUNING })
  alice = await server.world.user('alice')
  await server.world.repo({ owner: alice, name: 'r', autoInit: true })
  lfs = lfsOf(server, 'alice/r')
  for (let i = 0; i < COUNT; i++) stored.push(await lfs.put(alice, Buffer.from(`large file ${i}`)))
  stored.sort((a, b) => (a.oid < b.oid ? -1 : 1))
})
afterAll(async () => {
  await server.close()
  await s3.close()
  folder.remove()
})
afterEach(() => {
  s3.fault = () => undefined
})

const oids = (): string[] => stored.map(({ oid }) => oid).toSorted()
const inBucket = (): string[] => [...s3.objects.keys()].map((key) => key.replace('lfs/', '')).toSorted()
const fileOf = (oid: string): string => join(server.dataDir, 'blobs', 'lfs', oid.slice(0, 2), oid.slice(2, 4), oid)

const migrate = (to: 'local' | 's3', options: { verify?: boolean; deleteSource?: boolean } = {}) =>
  migrateStoredFiles(server.app, { to, verify: true, deleteSource: false, ...options }, () => undefined)

/** The command line in this process. */
async function ingot(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [log, error] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) =>
    spy.mockImplementation(() => undefined),
  )
  try {
    const code = await runCli(args, {})
    const [stdout = '', stderr = ''] = [log, error].map((spy) => spy!.mock.calls.map(String).join('\n'))
    return { code, stdout, stderr }
  } finally {
    vi.restoreAllMocks()
  }
}

/** Every large file as the server serves it. */
async function expectAll(): Promise<void> {
  for (const { oid, bytes } of stored) {
    const answer = await lfs.get(undefined, oid)
    expect([answer.status, (await readBody(answer)).equals(bytes)], oid).toEqual([200, true])
  }
}

describe('a migration into a bucket and back', () => {
  it('continues where a failure ended it, reads every copy once, and notices damage on both sides', async () => {
    let puts = 0
    s3.fault = ({ operation }) =>
      operation === 'PutObject' && ++puts > 4 ? { status: 500, code: 'InternalError' } : undefined
    await expect(migrate('s3')).rejects.toMatchObject({ kind: 'unavailable' })
    expect(s3.objects.size).toBe(4)
    await expectAll()

    // One copy was damaged on its way, and one file on the disk.
    const [key, object] = [...s3.objects][0]!
    object.body = Buffer.from(object.body.map((byte) => byte ^ 1))
    const lost = stored.find(({ oid }) => !s3.objects.has(`lfs/${oid}`))!
    const damaged = Buffer.alloc(lost.bytes.length, 'x')
    writeFileSync(fileOf(lost.oid), damaged)
    s3.fault = () => undefined
    const second = await migrate('s3')
    expect(second).toMatchObject({ done: COUNT, total: COUNT, present: 3, copied: COUNT - 4 })
    expect(second.failures).toEqual([`lfs/${lost.oid}: the upload does not have the announced SHA-256`])
    expect(s3.objects.get(key)!.body).toEqual(stored.find(({ oid }) => key.endsWith(oid))!.bytes)

    writeFileSync(fileOf(lost.oid), lost.bytes)
    s3.requests.length = 0
    expect(await migrate('s3')).toMatchObject({ present: COUNT - 1, copied: 1, failures: [] })
    expect(s3.requests.filter(({ operation }) => operation === 'GetObject')).toHaveLength(1)
    expect(inBucket()).toEqual(oids())
    s3.fault = ({ operation }) => (operation === 'PutObject' ? 'damaged' : undefined)
    expect(await migrate('s3')).toMatchObject({ present: COUNT, copied: 0 })
  })

  it('deletes a copy that does not read back right, and keeps the source', async () => {
    const added = await lfs.put(alice, Buffer.from('added while it runs'))
    stored.push(added)
    s3.fault = ({ operation }) => (operation === 'GetObject' ? 'damaged' : undefined)
    expect((await migrate('s3', { deleteSource: true })).failures).toEqual([
      `lfs/${added.oid}: the copy did not have the bytes of the source and was deleted`,
    ])
    expect(s3.objects.has(`lfs/${added.oid}`)).toBe(false)
    expect(localFiles(server.dataDir)).toEqual([added.oid])
    s3.fault = () => undefined
    await expectAll()
    await lfs.batch(undefined, added.oid, added.bytes.length)
  })

  it('is a command, which moves files once the server writes to the target', async () => {
    const flags = ['--data-dir', server.dataDir, ...asFlags(bucketSettings(s3))]
    const early = await ingot(['storage', 'migrate', '--to', 'local', '--delete-source', ...flags])
    const wrong = await ingot(['storage', 'migrate', '--to', 'tape', ...flags])
    const moved = await ingot(['storage', 'migrate', '--to', 's3', '--delete-source', ...flags])
    expect([early.code, early.stderr]).toEqual([
      2,
      expect.stringContaining('--delete-source needs storage.kind = "local"'),
    ])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--to is s3 or local, got tape')])
    expect([moved.code, moved.stderr]).toEqual([0, ''])
    expect(moved.stdout).toBe('Copied 1 files, 0.0 MB; 0 already existed.\nDeleted 1 source files.')
    expect(localFiles(server.dataDir)).toEqual([])
    expect(inBucket()).toEqual(oids())
    await expectAll()
    // The running server still writes locally; its deletions and claims reach both places.
    const { oid } = stored.pop()!
    await server.app.lfsBlobs.delete(oid)
    expect(s3.objects.has(`lfs/${oid}`)).toBe(false)
    expect(await server.app.lfsBlobs.claim(stored[0]!.oid, async () => undefined)).toBe(true)
    expect((await Array.fromAsync(server.app.lfsBlobs.list())).map(({ hash }) => hash)).toEqual(oids())
  })

  it('goes back, and a backup of a bucket is a server without one', async () => {
    const copy = join(folder.path, 'copy')
    const made = await ingot(['backup', '--data-dir', server.dataDir, '--to', copy, ...asFlags(bucketSettings(s3))])
    expect([made.code, made.stderr]).toEqual([0, ''])
    const restored = createBlobStores({
      kind: 'local',
      s3: undefined,
      links: false,
      directory: join(copy, 'blobs'),
      emptyUploads: 'all',
      log: { warn: () => undefined },
    })
    const blobs = await restored.open('lfs')
    for (const { oid, bytes } of stored) expect((await buffer((await blobs.open(oid))!)).equals(bytes)).toBe(true)

    expect(await migrate('local', { deleteSource: true })).toMatchObject({ copied: oids().length, failures: [] })
    expect(s3.objects.size).toBe(0)
    expect(localFiles(server.dataDir)).toEqual(oids())
    await s3.goAway()
    await expectAll()
    await s3.comeBack()
  })
})

describe('settings of the bucket', () => {
  it.each([
    [{ 'storage.kind': 's3' }, /storage\.kind = "s3" needs storage\.bucket/],
    [{ 'storage.bucket': 'b12', 'storage.access_key': 'x' }, /storage\.access_key and storage\.secret_key/],
    [{ 'storage.bucket': 'b12', 'storage.secret_key_file': '/nonexistent' }, /cannot read \/nonexistent/],
  ])('%j stops the start', async (settings, message) => {
    const flags = { data_dir: join(folder.path, 'never'), 'log.level': 'silent', ...settings }
    await expect(createCore(loadConfig({ flags: flags as Record<string, string> }))).rejects.toThrow(message)
  })
})
