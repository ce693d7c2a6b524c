import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runChecks } from '../../../src/app/doctor.ts'
import {
  bucketDestination,
  DestinationClaim,
} from '../../../src/domains/operations/backups/destinations/destination-claim.ts'
import { restore } from '../../../src/domains/operations/index.ts'
import { startS3, type S3TestServer } from '../../harness/s3-server.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { bucketSettings } from '../../core/blobs/fixture.ts'

let s3: S3TestServer
let server: TestServer
let dir: string
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-bucket-'))
  s3 = await startS3()
  const backup = { 'backup.kind': 's3', 'backup.files_interval': '1', 'storage.kind': 'local' }
  server = await startServer({
    settings: { ...bucketSettings(s3), ...backup, 'metrics.enabled': 'true' },
    tuning: { storage: { attempts: 1 } },
  })
  server.app.background.start()
})
afterAll(async () => {
  await server.close()
  await s3.close()
  rmSync(dir, { recursive: true, force: true })
})

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^ingot_backup_${name} (\\S+)`, 'm').exec(text)![1])
}
const findings = async (): Promise<string> => {
  const found: string[] = []
  for await (const { name, findings: all } of runChecks(server.app.checks, { fix: false, quick: true }))
    if (name === 'backup') found.push(...all.map(({ what, state }) => `${state} ${what}\n`))
  return found.join('')
}
const LONG = { timeout: 20_000, interval: 50 }

it('a copy in a bucket is restored; while the bucket is full or unavailable writes continue, and doctor and metrics report it', async () => {
  const alice = await server.world.user('alice')
  await expect.poll(findings, LONG).toBe('')
  await expect.poll(() => metric('lag_seconds'), LONG).toBeGreaterThanOrEqual(0)
  expect(await metric('failures')).toBe(0)
  s3.fault = ({ operation }) => (operation === 'PutObject' ? { status: 403, code: 'QuotaExceeded' } : undefined)
  await server.world.repo({ owner: alice, name: 'r', autoInit: true })
  await expect.poll(() => metric('failures'), LONG).toBeGreaterThan(0)
  await expect.poll(findings, LONG).toMatch(/^problem the copy of database fails since \S+Z: .*QuotaExceeded\)$/m)
  s3.fault = () => undefined
  await expect.poll(findings, LONG).toBe('')
  const isThere = (): boolean => [...s3.objects.keys()].some((key) => key.startsWith('backup/files/states/git/repos/'))
  await expect.poll(isThere, LONG).toBe(true)

  const objects = server.app.backupBucket!.objects
  const destination = bucketDestination(objects, 'backup/', 'bucket')
  const to = join(dir, 'restored')
  await restore({ destination, at: Infinity, to, progress: () => {} })
  const database = new Sqlite(join(to, 'ingot.db'), { readonly: true })
  expect(database.prepare('select lower_name from repo').pluck().all()).toEqual(['r'])
  database.close()

  // Another server with the same bucket and prefix.
  const clock = { now: () => Date.now() }
  const claim = new DestinationClaim({ destination, dataDir: dir, clock, host: 'other', boot: '' })
  const refusal = `${server.dataDir} on ${hostname()}`
  await expect(claim.require()).rejects.toThrow(`bucket belongs to another server (${refusal}, last seen `)
  s3.objects.delete('backup/owner.json')
  await claim.require()
  expect(await findings()).toMatch(/^problem .*\/backup\/ belongs to another server \(\S+ on other, last seen /m)
  await s3.goAway()
  expect(await findings()).toMatch(/^problem the copy in .*\/backup\/ cannot be read: /m)
  await s3.comeBack()
})
