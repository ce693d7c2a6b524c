import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../platform/crypto/crypto.ts'

const BLOCK = Buffer.alloc(4096)

/**
 * Throws the system's error when the disk of a repository does not take a block, such as that of a ref. The name is one
 * that maintenance deletes when a killed process leaves it.
 */
export async function requireRoom(path: string): Promise<void> {
  const probe = join(path, 'objects', `tmp_obj_room_${randomHex(8)}`)
  try {
    await writeFile(probe, BLOCK, { flag: 'wx', mode: 0o600 })
  } finally {
    await rm(probe, { force: true })
  }
}
