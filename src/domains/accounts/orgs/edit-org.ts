import type { Actor } from '../../../core/access/viewer.ts'
import { flag } from '../../../core/db/flag.ts'
import { invalid, notFound } from '../../../core/platform/errors.ts'
import { deleteUser } from '../users/accounts/user-deletion.store.ts'
import { type User, findUserById, lockUserToDelete, updateUser } from '../users/user.store.ts'
import { isEmailAddress } from '../users/users.policy.ts'
import type { OrgProfile } from './create-org.ts'
import type { OrgDeps } from './org-deps.ts'
import { ownsRepos } from './org.store.ts'

/** Absent members do not change. Throws Invalid for a bad e-mail address. */
export async function editOrg(
  deps: OrgDeps,
  actor: Actor,
  { org, changes }: { org: User; changes: OrgProfile },
): Promise<User> {
  if (changes.email && !isEmailAddress(changes.email))
    throw invalid(`e-mail address contains unsupported character [email: ${changes.email}]`)
  const now = deps.clock.now()
  return deps.database.transaction(async (tx) => {
    await updateUser(tx, org.id, { ...toColumns(changes), updated_at: now })
    const { visibility } = changes
    if (visibility !== undefined && visibility !== org.visibility) {
      await deps.events.append(
        tx,
        'org.visibility_changed',
        { actor, repoId: 0, at: now },
        { org_id: org.id, visibility, old_visibility: org.visibility },
      )
    }
    const edited = await findUserById(tx, org.id)
    if (edited === undefined) throw unknown(org)
    return edited
  })
}

function toColumns(changes: OrgProfile): Parameters<typeof updateUser>[2] {
  const { fullName, email, description, website, location, visibility, repoAdminChangeTeamAccess: teamAccess } = changes
  return {
    ...(fullName === undefined ? {} : { full_name: fullName }),
    ...(email === undefined ? {} : { email }),
    ...(description === undefined ? {} : { description }),
    ...(website === undefined ? {} : { website }),
    ...(location === undefined ? {} : { location }),
    ...(visibility === undefined ? {} : { visibility }),
    ...(teamAccess === undefined ? {} : { repo_admin_change_team_access: flag(teamAccess) }),
  }
}

const unknown = (org: User): Error => notFound(`organization does not exist [uid: ${org.id}]`)

/** Throws Invalid while the organization owns a repository, NotFound when it is deleted meanwhile. */
export async function deleteOrg({ database, clock, events }: OrgDeps, actor: Actor, org: User): Promise<void> {
  await database.transaction(async (tx) => {
    const origin = { actor, repoId: 0, at: clock.now() }
    if (!(await lockUserToDelete(tx, org.id))) throw unknown(org)
    if (await ownsRepos(tx, org.id)) throw invalid('user still has ownership of repositories')
    await events.append(tx, 'user.deleting', origin, { user_id: org.id, name: org.name })
    await deleteUser(tx, org.id)
    await events.append(tx, 'org.deleted', origin, { org_id: org.id, name: org.name })
  })
}
