import { expect, it } from 'vitest'
import { type BlobUse, checkBlobs } from './check-blobs.ts'
import type { BlobStore } from './blob-store.ts'

const use = (id: number): BlobUse => ({ id, repo: 'ann/app', label: `file ${id}`, hash: `hash ${id}`, size: 4 })

async function check(rows: BlobUse[], onMissing: () => void): Promise<string[]> {
  const store: Pick<BlobStore, 'size'> = {
    async size() {
      onMissing()
      return undefined
    },
  }
  const found: string[] = []
  for await (const what of checkBlobs({
    store: store as BlobStore,
    kind: 'large file',
    quick: true,
    listUsesAfter: async (after, limit) => rows.filter(({ id }) => id > after).slice(0, limit),
  }))
    found.push(what)
  return found
}

it('does not report bytes that were deleted with their row in the meantime', async () => {
  const rows = [use(1), use(2), use(3)]
  expect(await check([...rows], () => {})).toHaveLength(3)
  const found = await check(rows, () => void rows.splice(1, 1))
  expect(found).toEqual(['ann/app: large file file 1 is missing: restore hash 1 from a backup'])
})
