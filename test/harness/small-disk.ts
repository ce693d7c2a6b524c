import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'

const TMPFS = ['-t', 'tmpfs', '-o', 'size=64m', 'ingot-test']

interface SmallDisk {
  /** A folder of the tests outside the disk. */
  readonly folder: string
  /** The root of the disk. */
  readonly data: string
}

/**
 * Tests with a disk of 64 MB, which is mounted only while one of them runs and unmounted also after a failed setup.
 * They are skipped where this user may not mount one.
 */
export function describeOnSmallDisk(name: string, tests: (disk: SmallDisk) => void): void {
  const folder = join(tmpdir(), `ingot-run-${randomUUID()}`)
  const data = join(folder, 'disk')
  describe.skipIf(!mayMount())(name, () => {
    beforeAll(() => {
      mkdirSync(data, { recursive: true })
      if (spawnSync('mount', [...TMPFS, data]).status !== 0) throw new Error('the small disk cannot be mounted')
    })
    // The hooks of the tests are in a suite within this one: if one of them fails, this one runs all the same.
    afterAll(() => {
      spawnSync('umount', ['--lazy', data])
      rmSync(folder, { recursive: true, force: true })
    })
    describe('with 64 MB', () => tests({ folder, data }))
  })
}

/** Mounts a disk in a mount namespace that ends with the command. */
function mayMount(): boolean {
  if (spawnSync('unshare', ['--mount', 'mount', ...TMPFS, tmpdir()]).status === 0) return true
  process.stderr.write('no small disk can be mounted here (root is needed): the tests of a full disk are left out\n')
  return false
}
