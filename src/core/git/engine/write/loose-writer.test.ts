import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { loosePath } from '../read/loose-object.ts'
import { type NewObject, writeLoose } from './loose-writer.ts'

/** Removes empty object folders, as `git prune-packed` does. */
function removeEmptyFolders(directory: string): number {
  let removed = 0
  for (const name of readdirSync(directory)) {
    try {
      rmdirSync(join(directory, name))
      removed++
    } catch {
      // The folder is not empty.
    }
  }
  return removed
}

function objectsDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ingot-loose-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

const makeObjects = (count: number): NewObject[] =>
  Array.from({ length: count }, (_, index) => {
    const content = Buffer.from(String(index))
    return { oid: createHash('sha1').update(content).digest('hex'), type: 'blob', content }
  })

it('leaves no temporary file and stops writing once it has thrown', async () => {
  const directory = objectsDirectory()
  const objects = makeObjects(16)
  // A file at the path of one object's folder.
  writeFileSync(join(directory, objects[0]!.oid.slice(0, 2)), '')
  await expect(writeLoose(directory, objects)).rejects.toThrow('ENOTDIR')
  const files = () => readdirSync(directory, { recursive: true }).map(String)
  const left = files()
  expect(left.filter((name) => name.includes('tmp_obj'))).toEqual([])
  await sleep(100)
  expect(files()).toEqual(left)
})

it('writes objects while their folders are removed', async () => {
  const directory = objectsDirectory()
  const objects = makeObjects(300)
  let [isDone, removed] = [false, 0]
  const remove = async (): Promise<void> => {
    for (; !isDone; await sleep(1)) removed += removeEmptyFolders(directory)
  }
  await Promise.all([writeLoose(directory, objects).finally(() => (isDone = true)), remove()])
  expect(objects.filter(({ oid }) => !existsSync(loosePath(directory, oid)))).toEqual([])
  expect(removed).toBeGreaterThan(0)
})
