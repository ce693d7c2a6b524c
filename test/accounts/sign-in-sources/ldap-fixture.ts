import { afterAll, beforeAll } from 'vitest'
import { createClient, type Client } from '../../harness/client.ts'
import { GROUPS, PEOPLE, READER, READER_PASSWORD, startDirectory, type TestDirectory } from '../../harness/directory.ts'
import { startServer, type TestServer, type TestServerOptions } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

export interface LdapWorld {
  server: TestServer
  root: Person
  directory: TestDirectory
  /** Creates a source with these settings beside the usual ones; returns its id. */
  addSource(name: string, ldap?: object): Promise<number>
  /** A client that sends this password. */
  as(login: string, password?: string): Client
  /** Runs the synchronization of all sources. */
  synchronize(): Promise<void>
}

/** A server and a directory for the tests of a suite. */
export function ldapWorld(program: string, options: TestServerOptions = {}): LdapWorld {
  const world = {
    async addSource(name: string, ldap: object = {}) {
      const settings = {
        host: '127.0.0.1',
        port: world.directory.port,
        bind_dn: READER,
        bind_password: READER_PASSWORD,
        user_search_base: PEOPLE,
        group_search_base: GROUPS,
        ...ldap,
      }
      const made = await world.root.client.post('/admin/auth-sources', { name, kind: 'ldap', ldap: settings })
      if (made.status !== 201) throw new Error(made.text)
      return made.json.id as number
    },
    as: (login: string, password = `${login}-password`) =>
      createClient(world.server.url, world.server.app.operations, {
        authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
      }),
    async synchronize() {
      await world.root.client.post('/admin/cron/sync_external_users')
      await world.server.drain()
    },
  } as LdapWorld
  beforeAll(async () => {
    world.directory = await startDirectory(program)
    world.server = await startServer(options)
    world.root = await world.server.world.admin()
  }, 60_000)
  afterAll(async () => {
    await world.server?.close()
    await world.directory?.close()
  })
  return world
}
