import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import { type Team, type User, findTeamByName, findUserByEmail, findUserByName } from '../../../accounts/index.ts'
import { mayName, type Repo } from '../../../repositories/index.ts'

/** A person or a team. */
export type Reviewer =
  { readonly user: User; readonly team?: undefined } | { readonly team: Team; readonly user?: undefined }

/** The account with a login, or else with an activated e-mail address. Throws NotFound. */
async function findReviewer(db: Db, viewer: SignedIn, repo: Repo, name: string): Promise<User> {
  const user = (await findUserByName(db, name)) ?? (await findUserByEmail(db, name))
  if (user === undefined || !(await mayName(db, viewer, repo, user))) throw notFound(`User '${name}' not exist`)
  return user
}

/** The team of the owner. Throws NotFound. */
async function findReviewingTeam(db: Db, repo: Repo, name: string): Promise<Team> {
  const team = await findTeamByName(db, repo.ownerId, name)
  if (team === undefined) throw notFound(`Team '${name}' not exist`)
  return team
}

/** Each once, persons first. Teams are ignored where the owner is a user. Throws NotFound for the first unknown one. */
export async function findReviewers(
  db: Db,
  viewer: SignedIn,
  repo: Repo,
  wanted: { readonly reviewers: readonly string[]; readonly teams: readonly string[] },
): Promise<Reviewer[]> {
  const users = new Map<number, Reviewer>()
  for (const name of wanted.reviewers) {
    const user = await findReviewer(db, viewer, repo, name)
    users.set(user.id, { user })
  }
  const teams = new Map<number, Reviewer>()
  if (repo.owner.kind === 'organization')
    for (const name of wanted.teams) {
      const team = await findReviewingTeam(db, repo, name)
      teams.set(team.id, { team })
    }
  return [...users.values(), ...teams.values()]
}
