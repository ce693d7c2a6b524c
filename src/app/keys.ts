import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createGpgKeys, createSshKeys, type GpgKeys, type SshKeys } from '../domain/users/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface KeyServices {
  readonly gpgKeys: GpgKeys
  readonly sshKeys: SshKeys
}

/** The keys that users sign in and sign with. */
export function createKeyServices({ config, ...core }: { readonly config: Config; readonly database: Database; readonly clock: Clock }): KeyServices {
  return { gpgKeys: createGpgKeys(core), sshKeys: createSshKeys({ ...core, rules: { minRsaBits: config.ssh.minimum_rsa_key_size } }) }
}
