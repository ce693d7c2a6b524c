import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Folder, temporaryFolder } from './process.ts'

const DISK = '64m'

/** A small disk of its own; undefined where this user may not mount one. */
export function mountSmallDisk(): { readonly folder: Folder; readonly data: string; release(): void } | undefined {
  const folder = temporaryFolder()
  const data = join(folder.path, 'disk')
  mkdirSync(data)
  const release = (): void => {
    spawnSync('umount', ['--lazy', data])
    folder.remove()
  }
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'ingot-test', data]).status === 0)
    return { folder, data, release }
  process.stderr.write('no small disk can be mounted here (root is needed): the tests of a full disk are left out\n')
  folder.remove()
  return undefined
}
