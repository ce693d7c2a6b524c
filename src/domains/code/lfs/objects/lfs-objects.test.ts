import { expect, it } from 'vitest'
import type { BlobLimits, BlobStore } from '../../../../core/blobs/index.ts'
import { createLfsObjects, type LfsObjectsDeps } from './lfs-objects.service.ts'

it('passes the announced size to the blob store, which chooses the part size of an upload by it', async () => {
  const seen: BlobLimits[] = []
  const blobs: Pick<BlobStore, 'put'> = {
    async put(source, limits = {}) {
      seen.push(limits)
      return { hash: '', size: (await Array.fromAsync(source)).length }
    },
  }
  const quota = { requireFor: async () => undefined }
  const deps = { database: {}, blobs, quota, clock: { now: () => 0 }, maxFileSize: 0 }
  const oid = 'a'.repeat(64)
  async function* source() {
    yield Buffer.from('abc')
  }
  await createLfsObjects(deps as never as LfsObjectsDeps).upload(1 as never, { oid, size: 3 }, source())
  expect(seen).toEqual([{ expected: { hash: oid, size: 3 } }])
})
