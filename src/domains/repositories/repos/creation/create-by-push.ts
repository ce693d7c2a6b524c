import { isPublicOnly, type SignedIn } from '../../../../core/access/viewer.ts'
import { forbidden, isDomainError, notFound } from '../../../../core/platform/errors.ts'
import { type User, findUserByName, mayCreateFor } from '../../../accounts/index.ts'
import type { Repo } from '../repo.store.ts'
import { createRepo, type CreateRepoDeps } from './create-repo.ts'

/**
 * The owner for whom a push may create a repository. Throws forbidden where that is switched off, NotFound when the
 * actor may not create one for this owner.
 */
export async function requireCreatableByPush(
  { database, rules }: CreateRepoDeps,
  actor: SignedIn,
  ownerName: string,
): Promise<User> {
  const owner = await findUserByName(database.read, ownerName)
  const isNarrow = actor.onlyRepos !== undefined || isPublicOnly(actor)
  if (owner === undefined || isNarrow || !(await mayCreateFor(database.read, actor, owner)))
    throw notFound('no repository may be made there')
  const isOrg = owner.kind === 'organization'
  if (!(isOrg ? rules.pushCreate.forOrgs : rules.pushCreate.forUsers))
    throw forbidden(`Push to create is not enabled for ${isOrg ? 'organizations' : 'users'}.`)
  return owner
}

/**
 * Creates the repository that is pushed to (behaviour/git-data-and-transport#git-over-http). Throws as
 * requireCreatableByPush, and NotFound when a repository that the actor may not see has the name.
 */
export async function createByPush(
  deps: CreateRepoDeps,
  actor: SignedIn,
  ownerName: string,
  name: string,
): Promise<Repo> {
  const owner = await requireCreatableByPush(deps, actor, ownerName)
  try {
    return await createRepo(deps, actor, owner, { name, isPrivate: deps.rules.pushCreate.isPrivate })
  } catch (error) {
    throw isDomainError(error, 'conflict') ? notFound('the name is taken') : error
  }
}
