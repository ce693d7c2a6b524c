import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../platform/crypto/crypto.ts'

const BLOCK = Buffer.alloc(4096)

/**
 * Throws the system's error if the repository's disk cannot store one more block, such as that of a ref. Maintenance
 * deletes a file of this name that a killed process left.
 */
export async function requireRoom(path: string): Promise<void> {
  const probe = join(path, 'objects', `tmp_obj_room_${randomHex(8)}`)
  try {
    await writeFile(probe, BLOCK, { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(probe, { force: true })
  }
}
