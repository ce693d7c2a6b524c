import {
  authorizeRequester,
  type RequesterNeed,
  type CredentialRestriction,
  restrictedViewer,
} from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { findUserById } from './user.store.ts'

/**
 * The user who requested work that runs later, with the present rights of the account and the credentials. Undefined
 * when the account may no longer use the server.
 */
export async function loadActingUser(
  db: Db,
  id: number,
  restriction: CredentialRestriction | undefined,
  need: RequesterNeed = {},
): Promise<SignedIn | undefined> {
  const user = id > 0 ? await findUserById(db, asId<UserId>(id)) : undefined
  const viewer = user && restrictedViewer(user, restriction)
  return viewer && authorizeRequester(viewer, need).kind === 'allowed' ? viewer : undefined
}

/** The same for a request that has waited. Undefined also when its token was deleted. */
export async function reloadActingUser(db: Db, actor: SignedIn): Promise<SignedIn | undefined> {
  const account = await findUserById(db, actor.account.id)
  const viewer = account && { ...actor, account }
  if (viewer === undefined || authorizeRequester(viewer, {}).kind !== 'allowed') return undefined
  return actor.tokenId === undefined || (await hasToken(db, actor.tokenId)) ? viewer : undefined
}

const hasToken = async (db: Db, id: number): Promise<boolean> =>
  (await db.selectFrom('access_token').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
