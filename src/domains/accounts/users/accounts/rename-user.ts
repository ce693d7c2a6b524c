import type { Actor } from '../../../../core/access/viewer.ts'
import { retryingTaken, type Tx } from '../../../../core/db/database.ts'
import type { EventOrigin } from '../../../../core/events/index.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { type CreateUserDeps, requireOwnerName } from './create-user.ts'
import { findUserById, findUserByName, recordOwnerRename, updateUser, type User } from '../user.store.ts'

type RenameDeps = Pick<CreateUserDeps, 'database' | 'clock' | 'events'>

/**
 * Renames a user or organization; the old name redirects to it until another account has that name. Throws Invalid for
 * a bad or taken name.
 */
export async function renameOwner(deps: RenameDeps, actor: Actor, owner: User, newName: string): Promise<User> {
  requireOwnerName(newName, owner.kind === 'organization' ? 'NewName' : 'NewUsername')
  if (newName === owner.name) return owner
  const origin = { actor, repoId: 0, at: deps.clock.now() }
  return retryingTaken(deps.database, async (tx) => {
    const existing = await findUserByName(tx, newName)
    if (existing !== undefined && existing.id !== owner.id) throw invalid(`user already exists [name: ${newName}]`)
    await updateUser(tx, owner.id, { name: newName, lower_name: newName.toLowerCase(), updated_at: origin.at })
    await recordOwnerRename(tx, owner.id, { from: owner.name, to: newName })
    await announce(deps, tx, origin, { owner, newName })
    return (await findUserById(tx, owner.id))!
  })
}

function announce(
  { events }: RenameDeps,
  tx: Tx,
  origin: EventOrigin,
  { owner: { id, kind, name: oldName }, newName }: { readonly owner: User; readonly newName: string },
): Promise<void> {
  if (kind === 'organization')
    return events.append(tx, 'org.renamed', origin, { org_id: id, name: newName, old_name: oldName })
  return events.append(tx, 'user.renamed', origin, { user_id: id, name: newName, old_name: oldName })
}
