import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { utils as SshUtils } from 'ssh2'
import { removeTree, replaceDurably, writeSynced } from '../../../core/platform/files/durable.ts'

const TYPES = ['ed25519', 'ecdsa'] as const

/**
 * The host keys of the server, in `dir`: generated at the first start, never replaced. OpenSSH private keys,
 * mode 0600.
 */
export async function loadHostKeys(dir: string, utils: typeof SshUtils): Promise<string[]> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  return Promise.all(TYPES.map((type) => loadHostKey(join(dir, `ssh_host_${type}_key`), type, utils)))
}

async function loadHostKey(path: string, type: (typeof TYPES)[number], utils: typeof SshUtils): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const made = generateKey(
    () =>
      (type === 'ed25519' ? utils.generateKeyPairSync('ed25519') : utils.generateKeyPairSync('ecdsa', { bits: 256 }))
        .private,
    utils,
  )
  await removeTree(`${path}.new`) // what a crash left behind
  await writeSynced(`${path}.new`, made, 0o600)
  await replaceDurably(`${path}.new`, path)
  return made
}

const ATTEMPTS = 20

/**
 * NOTE: about one Ed25519 key in 250 that the library makes cannot be read again, by itself or by OpenSSH: it drops a
 * leading zero byte.
 */
export function generateKey(make: () => string, utils: Pick<typeof SshUtils, 'parseKey'>): string {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const key = make()
    if (!(utils.parseKey(key) instanceof Error)) return key
  }
  throw new Error('no usable SSH host key could be made')
}
