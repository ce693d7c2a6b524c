import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** True when the program is on this machine; tests that need it say so when they are skipped. */
export function hasProgram(name: string, ...args: string[]): boolean {
  const found = spawnSync(name, args, { stdio: 'ignore' }).error === undefined
  if (!found) process.stderr.write(`${name} is not installed: its tests are left out\n`)
  return found
}

/** A key ring of its own, used by the real gpg. */
export interface Gpg {
  readonly home: string
  /** Makes a key without passphrase; gives its key id. `subkey` adds one that signs. */
  generate(identity: string, options?: { algorithm?: string; expires?: string; subkey?: boolean }): string
  export(keyId: string): string
  /** A detached armored signature. */
  sign(keyId: string, data: string | Uint8Array, ...options: string[]): string
  run(args: readonly string[], input?: string | Uint8Array): string
  close(): void
}

export function createGpg(): Gpg {
  const home = mkdtempSync(join(tmpdir(), 'ingot-gpg-'))
  const run = (args: readonly string[], input: string | Uint8Array = ''): string => {
    const result = spawnSync(
      'gpg',
      ['--homedir', home, '--batch', '--quiet', '--yes', '--pinentry-mode', 'loopback', '--passphrase', '', ...args],
      { input },
    )
    if (result.status !== 0) throw new Error(`gpg ${args[0]}: ${result.stderr.toString()}`)
    return result.stdout.toString('utf8')
  }
  const listed = (identity: string): string[] => run(['--list-keys', '--with-colons', `=${identity}`]).split('\n')
  return {
    home,
    run,
    generate(identity, { algorithm = 'ed25519', expires = 'never', subkey = false } = {}) {
      run(['--quick-generate-key', identity, algorithm, 'sign', expires])
      const fingerprint = listed(identity)
        .find((line) => line.startsWith('fpr:'))!
        .split(':')[9]!
      if (subkey) run(['--quick-add-key', fingerprint, algorithm, 'sign', 'never'])
      return fingerprint.slice(-16)
    },
    export: (keyId) => run(['--armor', '--export', keyId]),
    sign: (keyId, data, ...options) => run(['--armor', '--detach-sign', '--local-user', keyId, ...options], data),
    close() {
      spawnSync('gpgconf', ['--homedir', home, '--kill', 'all'])
      rmSync(home, { recursive: true, force: true })
    },
  }
}
