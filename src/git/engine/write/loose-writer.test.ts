import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { loosePath } from '../read/loose-object.ts'
import { type NewObject, writeLoose } from './loose-writer.ts'

/** Removes the folders of objects that are empty, as `git prune-packed` does. */
function removeEmptyFolders(directory: string): number {
  let removed = 0
  for (const name of readdirSync(directory)) {
    try {
      rmdirSync(join(directory, name))
      removed++
    } catch {
      // It is not empty.
    }
  }
  return removed
}

it('writes objects while their folders are removed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-loose-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const objects = Array.from({ length: 300 }, (_, index): NewObject => {
    const content = Buffer.from(String(index))
    return { oid: createHash('sha1').update(content).digest('hex'), type: 'blob', content }
  })
  let [isDone, removed] = [false, 0]
  const remove = async (): Promise<void> => {
    for (; !isDone; await sleep(1)) removed += removeEmptyFolders(directory)
  }
  await Promise.all([writeLoose(directory, objects).finally(() => (isDone = true)), remove()])
  expect(objects.filter(({ oid }) => !existsSync(loosePath(directory, oid)))).toEqual([])
  expect(removed).toBeGreaterThan(0)
})
