import { admitCaller } from '../../../../core/access/admit.ts'
import { reachesRepo } from '../../../../core/access/credential-restriction.ts'
import { type SignedIn, viewerOfAccount } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { findUserById } from '../../../accounts/index.ts'
import type { Repo } from '../repo.store.ts'
import { findWriter, type Writer } from '../writer.ts'

/** An open pull request of which the poster lets maintainers edit the head branch. */
interface Maintained {
  readonly base: Repo
  readonly head: Repo
  readonly posterId: UserId
}

/**
 * The poster, by whose right the actor writes the head branch: the actor writes the base repository, its credentials
 * reach both repositories, and the poster may use the server and writes the head repository
 * (behaviour/git-data-and-transport#edits-by-maintainers). Undefined where one of these is not so.
 */
export async function findDelegate(
  read: Db,
  actor: SignedIn,
  { base, head, posterId }: Maintained,
): Promise<Writer | undefined> {
  if (actor.deployKeyId !== undefined || !reachesRepo(actor, base) || !reachesRepo(actor, head)) return undefined
  if ((await findWriter(read, actor, base)) === undefined) return undefined
  const poster = await findUserById(read, posterId)
  const delegate = poster && viewerOfAccount(poster)
  return delegate && admitCaller(delegate, {}).kind === 'allowed' ? findWriter(read, delegate, head) : undefined
}
