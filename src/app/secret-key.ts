import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHex } from '../platform/crypto/crypto.ts'
import { conflict } from '../platform/errors.ts'

const BYTES = 32

/** The secret of this installation: the configured one, else the one in `data_dir/secret.key`, made when missing. */
export function loadSecretKey(configured: string, dataDir: string): string {
  if (configured !== '') return configured
  const file = join(dataDir, 'secret.key')
  if (!existsSync(file)) makeKey(file)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret === '')
    throw conflict(
      `${file} is empty: put back the key that was in it, or delete it to make a new one; what was encrypted with the old one is lost then.`,
    )
  return secret
}

/**
 * Whole or not at all: a full disk or a crash must not leave half a key. Another process may be faster: its key stands.
 */
function makeKey(file: string): void {
  const made = `${file}.${randomHex(8)}.new`
  try {
    writeFileSync(made, `${randomHex(BYTES)}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(made, { force: true })
  }
}
