import { AccessMode } from '../../../../core/access/access-mode.ts'
import { decideRepoAccess, isRepoAdmin } from '../../../../core/access/repo-access.ts'
import { loadRepoGrants } from '../../../../core/access/repo-grants.store.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Events } from '../../../../core/events/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { User } from '../../../accounts/index.ts'
import { findRepoById } from '../repo.store.ts'

export interface NewRepoFacts {
  readonly id: RepoId
  readonly name: string
  readonly actor: SignedIn
  readonly owner: User
  readonly at: number
  /** The creator watches it; `watchers_count` of its row includes that. */
  readonly watch: boolean
  readonly labelSet?: string | undefined
}

/**
 * Appends `repo.created` for a repository whose row this transaction inserted. Its projections copy the site's default
 * webhooks and insert labels, watches and the creator's collaboration (behaviour/repositories#access).
 */
export async function recordRepoCreation(
  tx: Tx,
  events: Events,
  { id, name, actor, owner, at, watch, labelSet }: NewRepoFacts,
): Promise<void> {
  const creatorMode = await decideCreatorMode(tx, { id, actor, owner })
  await events.append(
    tx,
    'repo.created',
    { actor, repoId: id, at },
    {
      repo_id: id,
      name,
      ...(owner.kind === 'organization' && { org_id: owner.id }),
      ...(watch && { auto_watch: true }),
      ...(creatorMode !== undefined && { creator_mode: creatorMode }),
      ...(labelSet && { label_set: labelSet }),
    },
  )
}

/** In an organization the creator becomes an administrator of its repository unless a team makes it one. */
export async function decideCreatorMode(
  tx: Tx,
  { id, actor, owner }: Pick<NewRepoFacts, 'id' | 'actor' | 'owner'>,
): Promise<AccessMode | undefined> {
  if (owner.kind !== 'organization' || actor.account.isAdmin) return undefined
  const repo = (await findRepoById(tx, id))!
  const grants = await loadRepoGrants(tx, actor.account.id, [repo])
  return isRepoAdmin(decideRepoAccess(actor, repo, grants.get(id)!)) ? undefined : AccessMode.admin
}
