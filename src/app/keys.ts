import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { parseSshPublicKey } from '../platform/ssh-key.ts'
import { createGpgKeys, type GpgKeys } from '../subjects/keys/gpg-keys.service.ts'
import { createSshKeys, type SshKeys } from '../subjects/keys/ssh-keys.service.ts'

export interface KeyServices {
  readonly gpgKeys: GpgKeys
  readonly sshKeys: SshKeys
}

/** The keys that users sign in and sign with. */
export function createKeyServices({
  config,
  ...core
}: {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
}): KeyServices {
  return {
    gpgKeys: createGpgKeys(core),
    sshKeys: createSshKeys({ ...core, rules: { minRsaBits: config.ssh.minimum_rsa_key_size } }),
  }
}

/** Fingerprints of the authorities that the operator trusts. A key that cannot be read stops the start. */
export function trustedAuthorities({ ssh }: Config): ReadonlySet<string> {
  return new Set(
    ssh.trusted_user_ca_keys.map((line) => {
      try {
        return parseSshPublicKey(line).fingerprint
      } catch (error) {
        throw new Error(`ssh.trusted_user_ca_keys: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
      }
    }),
  )
}
