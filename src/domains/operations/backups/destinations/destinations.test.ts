import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openBackupBucket } from '../../../../app/storage.ts'
import { loadConfig } from '../../../../core/config/index.ts'
import { createLogger } from '../../../../core/platform/logger.ts'
import { openDestination, claimedDestination, DestinationClaim } from './destination-claim.ts'
import type { Destination } from '../../index.ts'
import { listSeries } from '../restore/list-series.ts'
import { type S3TestServer, startS3 } from '../../../../../test/harness/s3-server.ts'
import { findVersitygw, startVersitygw } from '../../../../../test/harness/versitygw.ts'
import { BUCKET_TUNING, bucketSettings } from '../../../../../test/core/blobs/fixture.ts'
import { CopiedDatabase, copyAll, upTo } from '../../../../../test/operations/backups/copied-database.ts'

let db: CopiedDatabase
beforeEach(async () => {
  db = await CopiedDatabase.make()
})
afterEach(() => db.remove())

type Opened = { readonly destination: Destination; close(): Promise<void> }

async function openBucket(s3: Pick<S3TestServer, 'bucket' | 'close' | 'keys' | 'url'>): Promise<Opened> {
  const flags = {
    ...bucketSettings(s3),
    'backup.kind': 's3',
    'backup.prefix': 'copies/one',
    data_dir: db.dir,
  }
  const config = loadConfig({ flags })
  const bucket = openBackupBucket(config, createLogger('silent'), BUCKET_TUNING.storage)!
  const close = async (): Promise<void> => {
    bucket.objects.close()
    await s3.close()
  }
  return { destination: openDestination(config.backup, bucket)!, close }
}

const versitygw = findVersitygw()
const destinations: { name: string; open(): Promise<Opened> }[] = [
  { name: 'a directory', open: async () => ({ destination: db.destination, close: async () => {} }) },
  { name: 'a bucket in memory', open: async () => openBucket(await startS3()) },
]
if (versitygw !== undefined)
  destinations.push({ name: 'versitygw', open: async () => openBucket(await startVersitygw(versitygw)) })

async function compareAndReplace(destination: Destination): Promise<void> {
  const replace = (text: string, version?: string): Promise<boolean> =>
    destination.replace('v', Buffer.from(text), version)
  expect([await replace('a'), await replace('b')]).toEqual([true, false])
  const { data, version } = (await destination.getVersion('v'))!
  expect(data.toString()).toBe('a')
  expect([await replace('b', version), await replace('c', version)]).toEqual([true, false])
  expect((await destination.get('v'))!.toString()).toBe('b')
  await destination.remove('v')
  expect([await replace('c', version), await destination.getVersion('v')]).toEqual([false, undefined])
}

describe.each(destinations)('a copy in $name', ({ open }) => {
  it('belongs to one data directory, and can be merged, pruned and restored', async () => {
    const { destination: opened, close } = await open()
    try {
      for (const name of ['mine', 'other']) mkdirSync(join(db.dir, name))
      const claimOf = (name: string): Destination => {
        const deps = { dataDir: join(db.dir, name), clock: { now: () => db.time }, host: 'h', boot: '', settleMs: 0 }
        return claimedDestination(opened, new DestinationClaim({ destination: opened, ...deps }))
      }
      await compareAndReplace(opened)
      const racing = Array.from({ length: 4 }, () => claimOf('mine').put('race', Buffer.from('x')))
      const begun = await Promise.allSettled(racing)
      expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await opened.remove('owner.json')

      const destination = claimOf('mine')
      const copier = db.copier({ destination })
      await copyAll(copier)
      for (let hour = 0; hour < 2; hour++) {
        for (let each = 0; each < 3; each++) {
          await db.write(2)
          await copyAll(copier)
        }
        db.time = Math.ceil(db.time / 3_600_000) * 3_600_000
      }
      await db.write(1)
      await copyAll(copier)
      await expect(claimOf('other').put('x', Buffer.from('x'))).rejects.toThrow(
        `belongs to another server (${join(db.dir, 'mine')} on h,`,
      )
      await db.merger(copier, { destination }).merge()
      const [series] = await listSeries(opened)
      expect(series!.merged.map(({ number, last }) => [number, last])).toEqual([
        [1, 3],
        [4, 6],
      ])
      expect(series!.segments.map(({ number }) => number)).toEqual([7])
      expect(await db.restored(Infinity, opened)).toEqual(upTo(13))
      expect(await db.restored(series!.merged[0]!.time + 1, opened)).toEqual(upTo(6))
      const next = db.copier({ destination })
      await db.write(1)
      await copyAll(next)
      expect(next.position).toMatchObject({ series: series!.name, number: 9 })
    } finally {
      await close()
      rmSync(join(db.dir, 'other'), { recursive: true })
    }
  })
})

it('is claimed in a bucket whose server lacks conditional writes, or returns ETags that it does not recognize', async () => {
  const s3 = await startS3()
  const { destination, close } = await openBucket(s3)
  const time = { now: Date.parse('2026-11-22T00:00:00Z') }
  const deps = { destination, clock: { now: () => time.now }, host: 'h', boot: '', settleMs: 0 }
  const claim = new DestinationClaim({ ...deps, dataDir: db.dir })
  const ownerAt = (): unknown => JSON.parse(s3.objects.get('copies/one/owner.json')!.body.toString()).at
  try {
    s3.fault = ({ headers }) =>
      'if-none-match' in headers || 'if-match' in headers ? { status: 501, code: 'NotImplemented' } : undefined
    await claim.require()
    s3.fault = ({ operation }) => (operation === 'GetObject' ? 'wrong-etag' : undefined)
    time.now += 40_000
    await claim.require()
    expect(ownerAt()).toBe(time.now)
    // The response to a write is lost, and the write is sent again.
    let lost = 0
    s3.fault = ({ operation }) => (operation === 'PutObject' && lost++ === 0 ? 'closed-after' : undefined)
    time.now += 40_000
    await claim.require()
    expect([ownerAt(), lost]).toEqual([time.now, 2])
    s3.objects.delete('copies/one/owner.json')
    await claim.release()
  } finally {
    await close()
  }
})
