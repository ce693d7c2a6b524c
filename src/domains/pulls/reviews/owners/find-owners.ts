import type { Db } from '../../../../core/db/database.ts'
import { findTeamByName, findUserByName } from '../../../accounts/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Reviewer } from '../requests/find-reviewers.ts'
import type { OwnerRule } from './code-owners.policy.ts'

/** Names that are looked up: the first ones. */
const MAX_NAMES = 100

/**
 * The persons and teams that rules name, each once, persons first. Unknown names and teams of other organizations than
 * the owner are left out.
 */
export async function findOwners(db: Db, repo: Repo, rules: readonly OwnerRule[]): Promise<Reviewer[]> {
  const users = new Map<number, Reviewer>()
  for (const name of firstNames(rules.flatMap((rule) => rule.users))) {
    const user = await findUserByName(db, name)
    if (user !== undefined) users.set(user.id, { user })
  }
  const teams = new Map<number, Reviewer>()
  const owner = repo.owner.name.toLowerCase()
  const own = rules.flatMap((rule) => rule.teams).filter(({ org }) => org.toLowerCase() === owner)
  for (const name of firstNames(own.map(({ team }) => team))) {
    const team = await findTeamByName(db, repo.ownerId, name)
    if (team !== undefined) teams.set(team.id, { team })
  }
  return [...users.values(), ...teams.values()]
}

const firstNames = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.toLowerCase()))].slice(0, MAX_NAMES)
