import { canSeeRepo, deployAccess } from '../../access/repo-access.ts'
import { ALL_SCOPES } from '../../access/scopes.ts'
import { ANONYMOUS, type SignedIn } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../platform/clock.ts'
import { asId, type RepoId, type UserId } from '../../platform/crypto/ids.ts'
import type { Logger } from '../../platform/logger.ts'
import { isCertificateValid, parseSshCertificate } from '../../platform/ssh/certificate.ts'
import { findKeyFingerprint, findKeyUse } from '../keys/index.ts'
import { findRepoByAnyName, loadRepoAccess, type RepoInView } from '../repos/index.ts'
import { findLogin, findUserById, type User } from '../users/index.ts'
import { createKeyUseRecorder, type KeyUse } from './key-use.ts'

/** One repository that a deploy key may access. */
interface DeployGrant {
  readonly id: number
  readonly title: string
  readonly repoId: RepoId
  readonly isReadOnly: boolean
}

/** The owner of an SSH key: one user, or the repositories that have it as deploy key. */
export type KeyHolder =
  | { readonly kind: 'user'; readonly user: User; readonly key: KeyUse }
  | { readonly kind: 'deploy'; readonly grants: readonly [DeployGrant, ...DeployGrant[]] }

/** A repository as the holder of a key may see it. */
export interface KeyTarget extends RepoInView {
  /** The user of the key; for a deploy key the owner of the repository, limited to what the key may do. */
  readonly viewer: SignedIn
  readonly key: KeyUse
  /** A deploy key of other repositories: it reads here what anonymous viewers may. */
  readonly isForeign: boolean
}

export interface KeyLogins {
  /** By fingerprint as ssh-keygen prints it. */
  find(fingerprint: string): Promise<KeyHolder | undefined>
  /** By a certificate of an authority that the operator trusts, with the key that must have signed. */
  findCertified(
    certificate: Buffer,
  ): Promise<{ readonly holder: KeyHolder & { kind: 'user' }; readonly key: Buffer } | undefined>
  /** By what a session of the key was recorded under; undefined once the key is deleted. */
  findAgain(use: Pick<KeyUse, 'kind' | 'id'>): Promise<KeyHolder | undefined>
  /** The holder as it is now; undefined once its keys are deleted. For later sessions of an open connection. */
  reload(holder: KeyHolder): Promise<KeyHolder | undefined>
  /** The repository of this name, or of a name it once had; undefined when it is missing or hidden from the holder. */
  findTarget(holder: KeyHolder, owner: string, name: string): Promise<KeyTarget | undefined>
  /** Who the user of a key is to the rest of the server. */
  viewerOf(holder: KeyHolder & { kind: 'user' }): SignedIn
  /** Writes the time of use down within some seconds. */
  recordUse(use: KeyUse): void
  /** What was recorded is in the database when this resolves. */
  flush(): Promise<void>
}

export interface KeyLoginDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  /** Fingerprints of the authorities whose certificates sign users in. */
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

  /** NOTE: there are no principals to register: one is the name or an activated address of an account. */
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

    async findTarget(holder, owner, name) {
      const repo = await findRepoByAnyName(read, owner, name)
      if (repo === undefined) return undefined
      if (holder.kind === 'deploy') return deployTarget(holder, repo)
      const viewer = viewerOfKey(holder)
      const access = await loadRepoAccess(read, viewer, repo)
      return canSeeRepo(access) ? { repo, access, viewer, key: holder.key, isForeign: false } : undefined
    },

    viewerOf: (holder) => viewerOfKey(holder),

    recordUse: uses.record,
    flush: uses.flush,
  }

  async function deployTarget(
    { grants }: KeyHolder & { kind: 'deploy' },
    repo: RepoInView['repo'],
  ): Promise<KeyTarget | undefined> {
    const own = grants.find((grant) => grant.repoId === repo.id)
    const grant = own ?? grants[0]
    const account = await findUserById(read, repo.owner.id)
    const access = own ? deployAccess(repo, own.isReadOnly) : await loadRepoAccess(read, ANONYMOUS, repo)
    if (account === undefined || !canSeeRepo(access)) return undefined
    const viewer: SignedIn = { ...viewerOf(account), onlyRepos: new Set([repo.id]), deployKeyId: grant.id }
    return {
      repo,
      access,
      viewer,
      key: { kind: 'deploy', id: grant.id, title: grant.title },
      isForeign: own === undefined,
    }
  }
}

const viewerOfKey = ({ user, key }: KeyHolder & { kind: 'user' }): SignedIn => ({
  ...viewerOf(user),
  ...(key.kind === 'user' && { keyId: key.id }),
})

const viewerOf = (account: User): SignedIn => ({
  kind: 'user',
  account,
  scopes: ALL_SCOPES,
  method: 'ssh-key',
  tokenId: undefined,
  onlyRepos: undefined,
})
