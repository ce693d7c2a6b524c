import type { App } from '../../src/app.ts'
import type { NewUser, User } from '../../src/domain/users/index.ts'
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

/** What tests need to exist, made through the domain. */
export interface World {
  user(name: string, options?: Partial<NewUser>): Promise<Person>
  admin(name?: string): Promise<Person>
}

export function createWorld(app: App, url: string): World {
  const world: World = {
    async user(name, options = {}) {
      const user = await app.users.create(0, { name, email: `${name.toLowerCase()}@example.test`, password: PASSWORD, ...options })
      const basic = Buffer.from(`${name}:${options.password ?? PASSWORD}`).toString('base64')
      let tokens = 0
      const token = async (...scopes: string[]): Promise<string> =>
        (await app.tokens.create(user.id, { name: `test-${tokens++}`, scopes })).value
      return {
        user,
        name,
        token,
        client: createClient(url, app.operations, { authorization: `Basic ${basic}` }),
        withToken: async (...scopes) => createClient(url, app.operations, { authorization: `token ${await token(...scopes)}` }),
      }
    },
    admin: (name = 'root') => world.user(name, { isAdmin: true }),
  }
  return world
}
