import { canSeeRepo, deployAccess } from '../../../core/access/repo-access.ts'
import { ANONYMOUS, type SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { type RepoInView, findRepoByAnyName, loadRepoAccess } from '../repos/lookup.ts'
import { type KeyHolder, type KeyUse, findUserById, viewerOfKey, viewerOfKeyOwner } from '../../accounts/index.ts'

/** A repository as the holder of a key may see it. */
export interface KeyTarget extends RepoInView {
  /** The user of the key; for a deploy key the owner of the repository, limited to what the key may do. */
  readonly viewer: SignedIn
  readonly key: KeyUse
  /** A deploy key of other repositories: it reads here what anonymous viewers may. */
  readonly isForeign: boolean
}

export type KeyTargets = ReturnType<typeof createKeyTargets>

/** The repositories that the holders of SSH keys may see. */
export function createKeyTargets(read: Db) {
  async function deployTarget(
    { grants }: KeyHolder & { kind: 'deploy' },
    repo: RepoInView['repo'],
  ): Promise<KeyTarget | undefined> {
    const own = grants.find((grant) => grant.repoId === repo.id)
    const grant = own ?? grants[0]
    const account = await findUserById(read, repo.owner.id)
    const access = own ? deployAccess(repo, own.isReadOnly) : await loadRepoAccess(read, ANONYMOUS, repo)
    if (account === undefined || !canSeeRepo(access)) return undefined
    const viewer: SignedIn = { ...viewerOfKeyOwner(account), onlyRepos: new Set([repo.id]), deployKeyId: grant.id }
    return {
      repo,
      access,
      viewer,
      key: { kind: 'deploy', id: grant.id, title: grant.title },
      isForeign: own === undefined,
    }
  }

  return {
    /** The repository of this name, or of a name it once had; undefined when it is missing or hidden from the holder. */
    async find(holder: KeyHolder, owner: string, name: string): Promise<KeyTarget | undefined> {
      const repo = await findRepoByAnyName(read, owner, name)
      if (repo === undefined) return undefined
      if (holder.kind === 'deploy') return deployTarget(holder, repo)
      const viewer = viewerOfKey(holder)
      const access = await loadRepoAccess(read, viewer, repo)
      return canSeeRepo(access) ? { repo, access, viewer, key: holder.key, isForeign: false } : undefined
    },
  }
}
