import { defineModule } from '../../../core/module.ts'
import { gpgKeyOperations } from './gpg-keys.operations.ts'
import { createGpgKeys, type GpgKeys } from './gpg-keys.service.ts'
import { keyEvents } from './keys.events.ts'
import { sshKeyOperations } from './ssh-keys.operations.ts'
import { createSshKeys, type SshKeys } from './ssh-keys.service.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deletePublicKeysOf } from './public-key.store.ts'

/** Deletes the public keys of an account before its deletion, which frees their fingerprints. */
const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => deletePublicKeysOf(tx, asId(payload.user_id)),
}

declare module '../../../core/module.ts' {
  interface Services {
    readonly gpgKeys: GpgKeys
    readonly sshKeys: SshKeys
  }
}

/** SSH and GPG keys of users. */
export const module = defineModule({
  name: 'keys',
  needs: ['users'],
  create({ config: { ssh }, database, clock, events, site }, { users }, guards) {
    const gpgKeys = createGpgKeys({ database, clock, events })
    const sshKeys = createSshKeys({ database, clock, events, rules: { minRsaBits: ssh.minimum_rsa_key_size } })
    return {
      services: { gpgKeys, sshKeys },
      operations: [...gpgKeyOperations({ gpgKeys, guards }), ...sshKeyOperations({ guards, site, sshKeys, users })],
      events: keyEvents,
      projections: userDeletingProjections,
    }
  },
})
