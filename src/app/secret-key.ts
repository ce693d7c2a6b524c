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
 * The keys of this installation: from the configuration, else from `data_dir/secret.key`, which is generated if
 * missing. Changes of the file by other processes apply at once (behaviour/auth-and-access#stored-secrets). Throws
 * Conflict if the file is empty.
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

/** Generates a secret, in the form of one line of the file. */
export const newSecret = (): string => randomHex(BYTES)

/** The secrets in the file, the current one first. Throws Conflict if there is none. */
export function readSecrets(file: string): string[] {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (secrets.length === 0)
    throw conflict(
      `${file} is empty: restore its content, or delete the file to generate a new key; everything encrypted with the old key is lost then.`,
    )
  return secrets
}

/** Reads the file again after a change: each write changes its inode or time. */
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
 * Creates the file atomically: a full disk or a crash must not leave half a key. If another process is faster, its key
 * is used.
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
