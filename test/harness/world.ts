import { ALL_SCOPES, type SignedIn, systemActor, actorOf } from '../../src/core/access/viewer.ts'
import type { App } from '../../src/app/modules.ts'
import type { NewOrg } from '../../src/domains/accounts/orgs/create-org.ts'
import type { Team, User } from '../../src/domains/accounts/index.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import type { NewTeam } from '../../src/domains/accounts/orgs/teams/teams.service.ts'
import type { NewRepo } from '../../src/domains/repositories/repos/creation/insert-new-repo.ts'
import type { NewUser } from '../../src/domains/accounts/users/accounts/create-user.ts'
import { createClient, type Client } from './client.ts'

export const PASSWORD = 'Corr3ct-horse!'

/** A user with clients that act as it. */
export interface Person {
  readonly user: User
  readonly name: string
  /** Signs in with the password. */
  readonly client: Client
  /** A client with a new token of these scopes. */
  withToken(...scopes: string[]): Promise<Client>
  /** The value of a new token. */
  token(...scopes: string[]): Promise<string>
}

export interface Organization {
  readonly org: User
  readonly name: string
  readonly owner: Person
  /** A team that may read code, unless the options say otherwise, with these members and repositories. */
  team(
    name: string,
    options?: Partial<NewTeam> & { readonly members?: readonly Person[]; readonly repos?: readonly Repo[] },
  ): Promise<Team>
}

/** What tests need to exist, made through the domain. */
export interface World {
  user(name: string, options?: Partial<NewUser>): Promise<Person>
  admin(name?: string): Promise<Person>
  /** A repository of a user or organization, with a first commit if `autoInit`; `by` made it, else the owner itself. */
  repo(options: { owner: Person | User; by?: Person } & NewRepo): Promise<Repo>
  /** An organization; without an owner one is made, called `<name>-owner`. */
  org(name: string, options?: Partial<NewOrg> & { readonly owner?: Person }): Promise<Organization>
}

/** The viewer of a user who signed in with a password. */
export function viewerOf(user: User): SignedIn {
  return {
    kind: 'user',
    account: user,
    scopes: ALL_SCOPES,
    method: 'password',
    tokenId: undefined,
    onlyRepos: undefined,
  }
}

export function createWorld(app: App, url: string): World {
  const world: World = {
    async user(name, options = {}) {
      const user = await app.users.create(systemActor, {
        name,
        email: `${name.toLowerCase()}@example.test`,
        password: PASSWORD,
        ...options,
      })
      const basic = Buffer.from(`${name}:${options.password ?? PASSWORD}`).toString('base64')
      let tokens = 0
      const token = async (...scopes: string[]): Promise<string> =>
        (await app.tokens.create(systemActor, user.id, { name: `test-${tokens++}`, scopes })).value
      return {
        user,
        name,
        token,
        client: createClient(url, app.operations, { authorization: `Basic ${basic}` }),
        withToken: async (...scopes) =>
          createClient(url, app.operations, { authorization: `token ${await token(...scopes)}` }),
      }
    },
    repo: ({ owner, by, ...input }) => {
      const user = 'user' in owner ? owner.user : owner
      return app.repos.create(viewerOf(by?.user ?? user), user, input)
    },
    admin: (name = 'root') => world.user(name, { isAdmin: true }),
    async org(name, { owner, ...options } = {}) {
      const person = owner ?? (await world.user(`${name}-owner`))
      const org = await app.orgs.create(actorOf(person.user.id), person.user, { name, ...options })
      const actor = viewerOf(person.user)
      // Private accounts too, which the owner could not add by name.
      const adding = viewerOf({ ...person.user, isAdmin: true })
      return {
        org,
        name,
        owner: person,
        async team(teamName, { members = [], repos = [], ...input } = {}) {
          const team = await app.teams.create(actorOf(person.user.id), org, {
            name: teamName,
            permission: 'read',
            units: ['repo.code'],
            ...input,
          })
          for (const member of members) await app.teamMembers.add(adding, { org, team }, member.name)
          for (const repo of repos) await app.teamRepos.add(actor, { org, team }, repo.name)
          return team
        },
      }
    },
  }
  return world
}
