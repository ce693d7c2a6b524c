import type { Core } from '../../../core/module.ts'
import { AccessMode, canSeeRepo, isRepoAdmin } from '../../../core/access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { forbidden, invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type RepoInView, loadRepoAccess } from '../repos/lookup.ts'
import type { Repo } from '../repos/repo.store.ts'
import { deleteWatch } from '../social/watches/watches.store.ts'
import { type User, ownerQueries, blockQueries, userQueries } from '../../accounts/index.ts'
import {
  deleteCollaboration,
  findCollaborationMode,
  listCollaborators,
  listCollaboratorsWith,
  listTeamMembersWith,
  upsertCollaboration,
} from './collaboration.store.ts'
import { findNamedAccount, mayName } from './named-account.ts'

interface UserWithMode {
  readonly user: User
  readonly mode: AccessMode
}

type CollaborationDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Collaboration = ReturnType<typeof createCollaboration>

/** The collaborators of a repository and their permissions (behaviour/repositories#collaborators). */
export function createCollaboration({ database, clock, events }: CollaborationDeps) {
  const { read } = database
  return {
    /** Explicit collaborators by id. */
    list: (repo: Repo, paging: Paging): Promise<Page<User>> => listCollaborators(read, repo.id, paging),
    /** Throws Invalid for an unknown user. */
    async isCollaborator(viewer: SignedIn, repo: Repo, name: string): Promise<boolean> {
      const user = await requireUser(database, viewer, repo, name)
      return (await findCollaborationMode(read, repo.id, user.id)) > AccessMode.none
    },

    /**
     * Adds or changes a collaborator. Private accounts can be added too: a private repository is not accessible to them
     * otherwise. Throws Invalid for unknown and inactive users, Forbidden if user or owner blocks the other.
     */
    async put(actor: SignedIn, repo: Repo, name: string, mode: AccessMode): Promise<void> {
      const user = await userQueries.findByName(read, name)
      if (user === undefined) throw unknownUser(name)
      if (user.kind === 'organization') throw invalid('an organization cannot be a collaborator')
      if (user.id === repo.ownerId) return
      if (!user.isActive) throw invalid(`user is inactive [name: ${user.name}]`)
      await database.transaction(async (tx) => {
        await blockQueries.requireNoBlockBetween(tx, user.id, repo.ownerId)
        const at = clock.now()
        await upsertCollaboration(tx, repo.id, user.id, { mode, at })
        await events.append(
          tx,
          'repo.collaborator_added',
          { actor, repoId: repo.id, at },
          { repo_id: repo.id, user_id: user.id, mode },
        )
      })
    },

    /**
     * Does nothing if the user is not a collaborator; deletes the watch of a user who loses access. Throws Invalid for
     * an unknown user.
     */
    async delete(actor: SignedIn, repo: Repo, name: string): Promise<void> {
      const user = await requireUser(database, actor, repo, name)
      const at = clock.now()
      await database.transaction(async (tx) => {
        if (!(await deleteCollaboration(tx, repo.id, user.id))) return
        const hasAccess = canSeeRepo(await loadRepoAccess(tx, viewerOfAccount(user), repo))
        if (!hasAccess) await deleteWatch(tx, user.id, repo.id)
        await events.append(
          tx,
          'repo.collaborator_removed',
          { actor, repoId: repo.id, at },
          { repo_id: repo.id, user_id: user.id, has_access: hasAccess },
        )
      })
    },

    /**
     * The effective permission of the user; only for repository administrators and the user. Throws Forbidden,
     * NotFound.
     */
    async permissionOf(viewer: SignedIn, { repo, access }: RepoInView, name: string): Promise<UserWithMode> {
      if (!isRepoAdmin(access) && viewer.account.name.toLowerCase() !== name.toLowerCase()) {
        throw forbidden(
          'Only admins can query all permissions, repo admins can query all repo permissions, collaborators can ' +
            'query only their own',
        )
      }
      const user = await ownerQueries.getKnown(read, viewer, name, (found) => mayName(read, viewer, repo, found))
      return { user, mode: (await loadRepoAccess(read, viewerOfAccount(user), repo)).mode }
    },

    /** Users who can be assigned to issues, by id; the owner last. */
    async assignees(repo: Repo): Promise<User[]> {
      const people = await listCollaboratorsWith(read, repo.id, AccessMode.write)
      return ownerLast(repo, await withTeams(database, repo, people, AccessMode.write), (a, b) => a.id - b.id)
    },

    /**
     * Active users who can be requested as reviewers, by name, the owner last. Throws Forbidden unless the viewer may
     * request reviews.
     */
    async reviewers(viewer: SignedIn, repo: Repo): Promise<User[]> {
      const people = await listCollaboratorsWith(read, repo.id, AccessMode.read)
      const all = ownerLast(repo, await withTeams(database, repo, people, undefined), byName)
      if (repo.isArchived || !all.some((user) => user.id === viewer.account.id))
        throw forbidden('doer has no permission to get reviewers')
      return all.filter((user) => user.isActive)
    },
  }
}

/** Throws Invalid for an unknown user. */
async function requireUser({ read }: Database, viewer: SignedIn, repo: Repo, name: string): Promise<User> {
  const user = await findNamedAccount(read, viewer, repo, name)
  if (user === undefined) throw unknownUser(name)
  return user
}

const unknownUser = (name: string): Error => errors.userUnknown(name)

async function withTeams(
  { read }: Database,
  repo: Repo,
  people: readonly User[],
  anyUnit: AccessMode | undefined,
): Promise<User[]> {
  const found = new Map<UserId, User>(people.map((user) => [user.id, user]))
  if (repo.owner.kind === 'organization') {
    const members = await listTeamMembersWith(read, {
      orgId: repo.ownerId,
      repoId: repo.id,
      pulls: AccessMode.read,
      anyUnit,
    })
    for (const user of members) found.set(user.id, user)
  }
  return [...found.values()]
}

const nameKey = ({ name }: User): string => name.toLowerCase()
const byName = (a: User, b: User): number => (nameKey(a) < nameKey(b) ? -1 : nameKey(a) > nameKey(b) ? 1 : 0)

/** Sorts users; the user who owns the repository is last. */
function ownerLast(repo: Repo, people: readonly User[], order: (a: User, b: User) => number): User[] {
  const others = people.filter((user) => user.id !== repo.ownerId).toSorted(order)
  return repo.owner.kind === 'organization' ? others : [...others, repo.owner]
}
