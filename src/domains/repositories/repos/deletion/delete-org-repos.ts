import { AccessMode } from '../../../../core/access/repo-access.ts'
import { type CredentialRestriction, restrictedViewer, restrictionOf } from '../../../../core/access/authorize.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../../accounts/index.ts'
import type { ChangeRepoDeps } from '../changes/edit-repo.ts'
import { loadRepoAccess } from '../lookup.ts'
import { findRepoById } from '../repo.store.ts'
import { deleteRepoWithFiles } from './delete-repo.ts'
import { listOwnedRepos } from './deletion.store.ts'

/** The payload of the job that deletes the repositories of an organization. */
export interface OrgReposDeletion {
  readonly org_id: number
  readonly actor_id: number
  readonly restriction?: CredentialRestriction | undefined
  /** Repositories with a higher id were created after the request. */
  readonly last_repo_id: number
}

export type OrgRepos = ReturnType<typeof createOrgRepos>

/** The deletion of all repositories of an organization (behaviour/repositories#deletion-and-renames). */
export function createOrgRepos(deps: ChangeRepoDeps) {
  const { database, jobs } = deps
  return {
    /** Enqueues the job unless the organization has no repository; returns their number. */
    async requestDeletion(actor: SignedIn, orgId: UserId): Promise<number> {
      const repos = await listOwnedRepos(database.read, orgId)
      const last = repos.at(-1)
      if (last === undefined) return 0
      const restriction = restrictionOf(actor)
      const payload = {
        org_id: orgId,
        actor_id: actor.account.id,
        last_repo_id: last.id,
        ...(restriction && { restriction }),
      }
      await database.transaction((tx) => jobs.enqueue(tx, 'repos.delete_of_org', payload, { key: String(orgId) }))
      return repos.length
    },

    /** Deletes the repositories that the requester still owns, one transaction each. Called by the job. */
    async delete(deletion: OrgReposDeletion, signal: AbortSignal): Promise<void> {
      for (const { id } of await listOwnedRepos(database.read, asId(deletion.org_id))) {
        signal.throwIfAborted()
        if (id <= deletion.last_repo_id) await deleteOne(deps, deletion, id)
      }
    },
  }
}

async function deleteOne(deps: ChangeRepoDeps, deletion: OrgReposDeletion, id: RepoId): Promise<void> {
  const { read } = deps.database
  const [user, repo] = [await userQueries.findById(read, asId(deletion.actor_id)), await findRepoById(read, id)]
  if (user === undefined || repo === undefined) return
  const actor = restrictedViewer(user, deletion.restriction)
  if ((await loadRepoAccess(read, actor, repo)).mode < AccessMode.owner) return
  try {
    await deleteRepoWithFiles(deps, actor, repo)
  } catch (error) {
    if (!isDomainError(error, 'not-found')) throw error
  }
}
