import type { Core } from '../../../core/module.ts'
import { ALL_SCOPES, type SignedIn } from '../../../core/access/viewer.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { isCertificateValid, parseSshCertificate } from '../../../core/platform/ssh/certificate.ts'
import { findKeyFingerprint, findKeyUse } from '../keys/public-key.store.ts'
import { type User, findLogin, findUserById } from '../users/user.store.ts'
import { createKeyUseRecorder, type KeyUse, type WriteKeyUse } from './key-use.ts'

/** One repository that a deploy key may access. */
interface DeployGrant {
  readonly id: number
  readonly title: string
  readonly repoId: RepoId
  readonly isReadOnly: boolean
}

/** The owner of an SSH key: one user, or the repositories that have it as a deploy key. */
export type KeyHolder =
  | { readonly kind: 'user'; readonly user: User; readonly key: KeyUse }
  | { readonly kind: 'deploy'; readonly grants: readonly [DeployGrant, ...DeployGrant[]] }

export interface KeyLogins {
  /** Finds a holder by fingerprint as printed by ssh-keygen. */
  find(fingerprint: string): Promise<KeyHolder | undefined>
  /** Finds a holder by a certificate of a trusted authority; also returns the key that must have signed. */
  findCertified(
    certificate: Buffer,
  ): Promise<{ readonly holder: KeyHolder & { kind: 'user' }; readonly key: Buffer } | undefined>
  /** Finds the holder under which a session of the key was recorded; undefined after the deletion of the key. */
  findAgain(use: Pick<KeyUse, 'kind' | 'id'>): Promise<KeyHolder | undefined>
  /**
   * The present state of the holder; undefined when its keys were deleted. For later sessions of an open connection.
   */
  reload(holder: KeyHolder): Promise<KeyHolder | undefined>
  /** Records the time of use, with a delay of some seconds. */
  recordUse(use: KeyUse): void
  /** Registers the function that records the use of a deploy key; called by the module that stores deploy keys. */
  onDeployKeyUse(write: WriteKeyUse): void
  /** Resolves after all recorded uses are written to the database. */
  flush(): Promise<void>
}

export interface KeyLoginDeps extends Pick<Core, 'database' | 'clock' | 'log'> {
  /** Fingerprints of the authorities whose certificates are accepted for sign-in. */
  readonly authorities: ReadonlySet<string>
}

export function createKeyLogins({ database, clock, log, authorities }: KeyLoginDeps): KeyLogins {
  const { read } = database
  const uses = createKeyUseRecorder({ database, clock, log })

  async function find(fingerprint: string): Promise<KeyHolder | undefined> {
    const { user: key, repos } = await findKeyUse(read, fingerprint)
    const [first, ...others] = repos
    if (key === undefined) return first && { kind: 'deploy', grants: [first, ...others] }
    const user = await findUserById(read, key.userId)
    return user && { kind: 'user', user, key: { kind: 'user', id: key.id, title: key.title } }
  }

  /** NOTE: principals are not registered; one of them must be the name or an activated address of an account. */
  async function findCertified(wire: Buffer): ReturnType<KeyLogins['findCertified']> {
    const certificate = authorities.size === 0 ? undefined : parseSshCertificate(wire)
    if (certificate === undefined || !isCertificateValid(certificate, { authorities, now: clock.now() }))
      return undefined
    for (const principal of certificate.principals) {
      const user = (await findLogin(read, principal))?.user
      if (user !== undefined)
        return {
          holder: { kind: 'user', user, key: { kind: 'certificate', id: user.id, title: certificate.name } },
          key: certificate.key,
        }
    }
    return undefined
  }

  async function findAgain({ kind, id }: Pick<KeyUse, 'kind' | 'id'>): Promise<KeyHolder | undefined> {
    if (kind === 'certificate') {
      const user = authorities.size === 0 ? undefined : await findUserById(read, asId<UserId>(id))
      return user && { kind: 'user', user, key: { kind, id, title: '' } }
    }
    const fingerprint = await findKeyFingerprint(read, kind, id)
    return fingerprint === undefined ? undefined : find(fingerprint)
  }

  return {
    find,
    findCertified,
    findAgain,
    async reload(holder) {
      if (holder.kind === 'user') {
        const found = await findAgain(holder.key)
        return found?.kind === 'user' ? { ...found, key: holder.key } : undefined
      }
      for (const { id } of holder.grants) {
        const found = await findAgain({ kind: 'deploy', id })
        if (found !== undefined) return found
      }
      return undefined
    },

    recordUse: uses.record,
    onDeployKeyUse: uses.onDeployKeyUse,
    flush: uses.flush,
  }
}

/** The viewer for the user of a key. */
export const viewerOfKey = ({ user, key }: KeyHolder & { kind: 'user' }): SignedIn => ({
  ...viewerOfKeyOwner(user),
  ...(key.kind === 'user' && { keyId: key.id }),
})

/** The viewer for an account that signed in with its key, with all scopes. */
export const viewerOfKeyOwner = (account: User): SignedIn => ({
  kind: 'user',
  account,
  scopes: ALL_SCOPES,
  method: 'ssh-key',
  tokenId: undefined,
  onlyRepos: undefined,
})
