import { authorizeRequester, reachesRepo } from '../../../../core/access/authorize.ts'
import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { RepoId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { createPort, type Port } from '../../../../core/platform/hook.ts'
import { userQueries } from '../../../accounts/index.ts'
import { type Repo, findRepoById } from '../repo.store.ts'
import { findWriter, type Writer, type RepoInView } from '../lookup.ts'
import { AccessMode, unitMode } from '../../../../core/access/repo-access.ts'

/** An open pull request whose author allows edits by maintainers of the head branch. */
interface Maintained {
  readonly base: Repo
  readonly head: Repo
  readonly authorId: UserId
}

/**
 * Finds the author whose access allows the actor to write the head branch: the actor writes the base repository, its
 * credentials reach both repositories, and the author may use the server and writes the head repository
 * (behaviour/git-data-and-transport#edits-by-maintainers). Undefined unless all of these conditions hold.
 */
export async function findDelegate(
  read: Db,
  actor: SignedIn,
  { base, head, authorId }: Maintained,
): Promise<Writer | undefined> {
  if (actor.deployKeyId !== undefined || !reachesRepo(actor, base) || !reachesRepo(actor, head)) return undefined
  if ((await findWriter(read, actor, base)) === undefined) return undefined
  const author = await userQueries.findById(read, authorId)
  const delegate = author && viewerOfAccount(author)
  return delegate && authorizeRequester(delegate, {}).kind === 'allowed' ? findWriter(read, delegate, head) : undefined
}

/** The head of an open pull request whose author allows edits by maintainers. */
interface MaintainedHead {
  readonly baseRepoId: RepoId
  readonly authorId: UserId
}

/** Lists those of a repository, or of one branch of it, for pull requests of other repositories, newest first. */
type ListMaintainedHeads = (db: Db, repoId: RepoId, branch: string | undefined) => Promise<readonly MaintainedHead[]>

export interface BranchWriters {
  /** Registered by the module of pull requests. */
  readonly heads: Port<ListMaintainedHeads>
  /**
   * Finds the account whose access allows the actor to write a branch: the actor itself, otherwise the author of a pull
   * request from the branch who allows edits by maintainers (behaviour/git-data-and-transport#edits-by-maintainers).
   * Undefined if there is neither. Without a branch, any branch matches.
   */
  find(actor: SignedIn, target: RepoInView, branch?: string): Promise<Writer | undefined>
}

export function createBranchWriters(read: Db): BranchWriters {
  const heads = createPort<ListMaintainedHeads>('heads that maintainers may edit')
  return {
    heads,
    async find(actor, { repo, access }, branch) {
      if (unitMode(access, 'repo.code') >= AccessMode.write) return { viewer: actor, access }
      if (actor.deployKeyId !== undefined) return undefined
      for (const { baseRepoId, authorId } of await heads.get()(read, repo.id, branch)) {
        const base = await findRepoById(read, baseRepoId)
        const delegate = base && (await findDelegate(read, actor, { base, head: repo, authorId }))
        if (delegate !== undefined) return delegate
      }
      return undefined
    },
  }
}
