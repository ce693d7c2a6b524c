import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHex } from '../platform/crypto.ts'

const BYTES = 32

/** The secret of this installation: the configured one, else the one in `data_dir/secret.key`, made when missing. */
export function loadSecretKey(configured: string, dataDir: string): string {
  if (configured !== '') return configured
  const file = join(dataDir, 'secret.key')
  try {
    writeFileSync(file, `${randomHex(BYTES)}\n`, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (secret === '') throw new Error(`${file} is empty: put back the key that was in it, or delete it to make a new one`)
  return secret
}
