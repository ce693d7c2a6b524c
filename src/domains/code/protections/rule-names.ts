import { type AccessMode, unitMode, type Unit } from '../../../core/access/repo-access.ts'
import { type SignedIn, viewerOfAccount } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { teamQueries } from '../../accounts/index.ts'
import { type Repo, collaboratorQueries, accessQueries } from '../../repositories/index.ts'

/** The access that a user needs to be in a list. */
export interface Qualification {
  readonly unit: Unit
  readonly mode: AccessMode
}

/** The ids of the users with the required access; others are omitted. Throws Invalid for an unknown name. */
export async function userIdsOf(
  db: Db,
  { viewer, repo }: { readonly viewer: SignedIn; readonly repo: Repo },
  names: readonly string[],
  needed?: Qualification,
): Promise<number[]> {
  const ids: number[] = []
  for (const name of names) {
    const user = await collaboratorQueries.findNamedAccount(db, viewer, repo, name)
    if (user === undefined || user.kind === 'organization') throw errors.userUnknown(name)
    if (needed && unitMode(await accessQueries.load(db, viewerOfAccount(user), repo), needed.unit) < needed.mode)
      continue
    ids.push(user.id)
  }
  return ids
}

/** The ids of teams of the owner; empty if the owner is a user. Throws Invalid for an unknown name. */
export async function teamIdsOf(db: Db, repo: Repo, names: readonly string[]): Promise<number[]> {
  if (repo.owner.kind !== 'organization') return []
  const ids: number[] = []
  for (const name of names) {
    const team = await teamQueries.findByName(db, repo.ownerId, name)
    if (team === undefined) throw invalid(`team does not exist [org_id: ${repo.ownerId}, name: ${name}]`)
    ids.push(team.id)
  }
  return ids
}
