import { deleteUserRedirect, findUserById, findUserByName, insertUserRedirect, updateUser, type User } from '../../db/stores/user.store.ts'
import { appendEvent } from '../../events/index.ts'
import { invalid } from '../../platform/errors.ts'
import type { UserId } from '../../platform/ids.ts'
import { requireOwnerName, type CreateUserDeps } from './create-user.ts'

/** Gives a user or organization another name; the old one leads to it until somebody takes it. */
export async function renameOwner(deps: Pick<CreateUserDeps, 'database' | 'clock'>, actorId: UserId, owner: User, newName: string): Promise<User> {
  requireOwnerName(newName, owner.kind === 'organization' ? 'NewName' : 'NewUsername')
  if (newName === owner.name) return owner
  return deps.database.transaction(async (tx) => {
    const holder = await findUserByName(tx, newName)
    if (holder !== undefined && holder.id !== owner.id) throw invalid(`user already exists [name: ${newName}]`)
    const now = deps.clock.now()
    await deleteUserRedirect(tx, newName)
    await updateUser(tx, owner.id, { name: newName, lower_name: newName.toLowerCase(), updated_at: now })
    if (holder === undefined) await insertUserRedirect(tx, owner.name, owner.id)
    await appendEvent(tx, 'user.renamed', { actorId, repoId: 0, at: now }, { user_id: owner.id, name: newName, old_name: owner.name })
    return (await findUserById(tx, owner.id))!
  })
}
