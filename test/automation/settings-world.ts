import { afterAll, beforeAll } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Organization, Person } from '../harness/world.ts'

export interface SettingsWorld {
  readonly server: TestServer
  /** Owns the repositories `r` and `hid` (private) and the organization `guild`, which owns `shop`. */
  readonly ann: Person
  /** Has no rights anywhere. */
  readonly bob: Person
  /** Collaborator of `r` who may write. */
  readonly writer: Person
  /** Collaborator of `r` with the permission admin. */
  readonly collaborator: Person
  /** In a team of `guild` with the permission admin, which includes `shop`; no owner. */
  readonly lead: Person
  /** In a team of `guild` with the permission write, which includes `shop`. */
  readonly member: Person
  readonly root: Person
  readonly guild: Organization
}

/** The members exist while the tests of the describe block run. */
export function settingsWorld(kind: 'sqlite' | 'postgres'): SettingsWorld {
  const given = {} as SettingsWorld
  beforeAll(async () => {
    const server = await startServer({ on: kind })
    const { world } = server
    const names = ['ann', 'bob', 'writer', 'collaborator', 'lead', 'member'] as const
    const people: Partial<Record<(typeof names)[number], Person>> = {}
    for (const name of names) people[name] = await world.user(name)
    const { ann, lead, member } = people as Record<(typeof names)[number], Person>
    const guild = await world.org('guild', { owner: ann })
    Object.assign(given, { server, ...people, root: await world.admin(), guild })
    await world.repo({ owner: ann, name: 'r' })
    await world.repo({ owner: ann, name: 'hid', isPrivate: true })
    const shop = await world.repo({ owner: guild.org, by: ann, name: 'shop' })
    await guild.team('leads', { permission: 'admin', members: [lead], repos: [shop] })
    await guild.team('crew', { permission: 'write', members: [member], repos: [shop] })
    await ann.client.put('/repos/ann/r/collaborators/writer', { permission: 'write' })
    await ann.client.put('/repos/ann/r/collaborators/collaborator', { permission: 'admin' })
  })
  afterAll(() => given.server.close())
  return given
}

/** Paths of the Actions of each level that `ann` administers. */
export const LEVELS = ['/repos/ann/r/actions', '/orgs/guild/actions', '/user/actions'] as const

/** A token scope that reaches a level, and one that does not. */
export const SCOPES: Readonly<Record<(typeof LEVELS)[number], readonly [string, string]>> = {
  '/repos/ann/r/actions': ['repository', 'organization'],
  '/orgs/guild/actions': ['organization', 'user'],
  '/user/actions': ['user', 'repository'],
}

/** The statuses of answers that come at the same time, lowest first. */
export const statusesOf = async (answers: readonly Promise<{ readonly status: number }>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ status }) => status).toSorted((a, b) => a - b)
