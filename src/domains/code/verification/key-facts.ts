import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import {
  type GpgKey,
  type User,
  type UserKey,
  findGpgKeysByKeyIds,
  listProvenKeys,
  listUsersByIds,
} from '../../accounts/index.ts'
import { findUsersByEmails } from './commit-author.store.ts'
import type { SignedCommit } from './signed-commit.ts'

/** The current owners of the keys and addresses in signed commits. */
export interface KeyFacts {
  /** By the id of a primary key or a subkey. */
  readonly gpgKeys: ReadonlyMap<string, GpgKey>
  readonly sshKeys: readonly UserKey[]
  readonly owners: ReadonlyMap<UserId, User>
  /** By lower-case address. */
  readonly committers: ReadonlyMap<string, User>
}

/** A fixed number of queries for any number of commits. */
export async function loadKeyFacts(db: Db, signed: readonly SignedCommit[], noReplyDomain: string): Promise<KeyFacts> {
  const claims = signed.map((commit) => commit.claim)
  const [gpgKeys, sshKeys, committers] = await Promise.all([
    findGpgKeysByKeyIds(
      db,
      claims.flatMap((claim) => (claim?.kind === 'pgp' ? claim.keyIds : [])),
    ),
    listProvenKeys(
      db,
      claims.flatMap((claim) => (claim?.kind === 'ssh' ? [claim.ssh.fingerprint] : [])),
    ),
    findUsersByEmails(
      db,
      signed.map((commit) => commit.committer.email),
      noReplyDomain,
    ),
  ])
  const ids = new Set([...gpgKeys.values()].map((key) => key.userId))
  const owners = ids.size === 0 ? [] : await listUsersByIds(db, [...ids])
  return { gpgKeys, sshKeys, committers, owners: new Map(owners.map((owner) => [owner.id, owner])) }
}
