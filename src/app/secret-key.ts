import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomHex } from '../core/platform/crypto/crypto.ts'
import { deriveSecretKey, type SecretKey, type SecretKeys } from '../core/platform/crypto/secret-box.ts'
import { conflict } from '../core/platform/errors.ts'

const BYTES = 32

interface SecretKeySettings {
  readonly secret_key: string
  readonly former_secret_keys: readonly string[]
}

/**
 * The keys of this installation: the configured ones, else those in `data_dir/secret.key`, which is made when missing.
 * A change of the file by another process counts at once (behaviour/auth-and-access#stored-secrets). Throws Conflict
 * when the file is empty.
 */
export function loadSecretKeys(settings: SecretKeySettings, dataDir: string): SecretKeys {
  const { secret_key: current, former_secret_keys: former } = settings
  if (current !== '') {
    const keys = [current, ...former].map(deriveSecretKey)
    return () => keys
  }
  const file = secretKeyFile(dataDir)
  if (!existsSync(file)) makeFile(file)
  return followFile(file, former.map(deriveSecretKey))
}

export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret.key')

/** A new secret, as the file has one a line. */
export const newSecret = (): string => randomHex(BYTES)

/** The secrets in the file, the current one first. Throws Conflict when there is none. */
export function readSecrets(file: string): string[] {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (secrets.length === 0)
    throw conflict(
      `${file} is empty: put back the key that was in it, or delete it to make a new one; what was encrypted with the old one is lost then.`,
    )
  return secrets
}

/** Reads the file again when it was replaced or written: each write gives it another inode or time. */
function followFile(file: string, former: readonly SecretKey[]): SecretKeys {
  let stamp = ''
  let keys: readonly SecretKey[] = []
  const load = (): readonly SecretKey[] => {
    const { ino, mtimeMs, size } = statSync(file)
    const found = `${ino} ${mtimeMs} ${size}`
    if (found !== stamp) {
      keys = [...readSecrets(file).map(deriveSecretKey), ...former]
      stamp = found
    }
    return keys
  }
  load()
  return load
}

/**
 * Whole or not at all: a full disk or a crash must not leave half a key. Another process may be faster: its key stands.
 */
function makeFile(file: string): void {
  const made = `${file}.${randomHex(8)}.new`
  try {
    writeFileSync(made, `${newSecret()}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(made, { force: true })
  }
}
