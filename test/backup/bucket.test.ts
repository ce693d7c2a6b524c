import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runChecks } from '../../src/app/doctor.ts'
import { bucketPlace } from '../../src/subjects/backups/places/bucket-place.ts'
import { restore } from '../../src/subjects/backups/restore/restore.ts'
import { startS3, type S3TestServer } from '../harness/s3-server.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { bucketSettings } from '../storage/fixture.ts'

let s3: S3TestServer
let server: TestServer
let dir: string
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-bucket-'))
  s3 = await startS3()
  const backup = { 'backup.kind': 's3', 'backup.files_interval': '1', 'storage.kind': 'local', 'storage.attempts': '1' }
  server = await startServer({ settings: { ...bucketSettings(s3), ...backup, 'metrics.enabled': 'true' } })
  server.app.background.start()
})
afterAll(async () => {
  await server.close()
  await s3.close()
  rmSync(dir, { recursive: true, force: true })
})

const lag = async (): Promise<number> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^ingot_backup_lag_seconds (\S+)/m.exec(text)![1])
}
const findings = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const { name, findings: all } of runChecks(server.app.checks, { fix: false, quick: true }))
    if (name === 'backup') found.push(...all.map(({ what, state }) => `${state} ${what}`))
  return found
}
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(50)
}
const isCopied = async (): Promise<boolean> => (await findings()).length === 0

it('a copy in a bucket is restored; while the bucket is away writes go on and the doctor and a metric say so', async () => {
  expect(await lag()).toBe(-1)
  const alice = await server.world.user('alice')
  await until(isCopied)
  await until(async () => (await lag()) >= 0)
  await s3.goAway()
  const begun = performance.now()
  await server.world.repo({ owner: alice, name: 'r', autoInit: true })
  expect(await findings()).toEqual([expect.stringMatching(/^problem the copy in .*\/backup\/ cannot be read: /)])
  await until(async () => (await lag()) > 1.5)
  expect(performance.now() - begun).toBeGreaterThan(500)
  await s3.comeBack()
  await until(isCopied)
  await until(async () => (await lag()) < 1.5)
  const isThere = (): boolean => [...s3.objects.keys()].some((key) => key.startsWith('backup/files/states/git/repos/'))
  await until(async () => isThere())

  const objects = server.app.backupBucket!.objects
  const to = join(dir, 'restored')
  await restore({ place: bucketPlace(objects, 'backup/', 'bucket'), at: Infinity, to, progress: () => {} })
  const database = new Sqlite(join(to, 'ingot.db'), { readonly: true })
  expect(database.prepare('select lower_name from repo').pluck().all()).toEqual(['r'])
  database.close()
})
