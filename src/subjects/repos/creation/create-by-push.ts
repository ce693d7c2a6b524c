import { isPublicOnly, type SignedIn } from '../../../access/viewer.ts'
import { forbidden, isDomainError, notFound } from '../../../platform/errors.ts'
import { mayCreateFor } from '../../orgs/index.ts'
import { findUserByName, type User } from '../../users/index.ts'
import type { Repo } from '../repo.store.ts'
import { createRepo, type CreateRepoDeps } from './create-repo.ts'

/**
 * The owner for whom a push may create a repository. Throws forbidden where that is off, NotFound to viewers who may
 * create none there.
 */
export async function requireCreatableByPush(
  { database, rules }: CreateRepoDeps,
  viewer: SignedIn,
  ownerName: string,
): Promise<User> {
  const owner = await findUserByName(database.read, ownerName)
  const isNarrow = viewer.onlyRepos !== undefined || isPublicOnly(viewer)
  if (owner === undefined || isNarrow || !(await mayCreateFor(database.read, viewer, owner)))
    throw notFound('no repository may be made there')
  const isOrg = owner.kind === 'organization'
  if (!(isOrg ? rules.pushCreate.forOrgs : rules.pushCreate.forUsers))
    throw forbidden(`Push to create is not enabled for ${isOrg ? 'organizations' : 'users'}.`)
  return owner
}

/**
 * Creates the repository that is pushed to (reference git-data-and-transport §11). NotFound when the name is taken by a
 * repository that the pusher may not see.
 */
export async function createByPush(
  deps: CreateRepoDeps,
  viewer: SignedIn,
  ownerName: string,
  name: string,
): Promise<Repo> {
  const owner = await requireCreatableByPush(deps, viewer, ownerName)
  try {
    return await createRepo(deps, viewer, owner, { name, isPrivate: deps.rules.pushCreate.isPrivate })
  } catch (error) {
    throw isDomainError(error, 'conflict') ? notFound('the name is taken') : error
  }
}
