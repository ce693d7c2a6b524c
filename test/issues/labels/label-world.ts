import { afterAll, beforeAll, expect } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

interface LabelWorld {
  readonly server: TestServer
  /** The owner of the repositories `r` and `secret` (private) and the organization `guild`. */
  readonly ann: Person
  /** A member of a team of `guild` with read access to code. */
  readonly bob: Person
  readonly cat: Person
  readonly guild: Organization
}

/** The accounts exist while the tests of the describe block run. */
export function labelWorld(): LabelWorld {
  const given = {} as LabelWorld
  beforeAll(async () => {
    const server = await startServer()
    const { world } = server
    const ann = await world.user('ann')
    const bob = await world.user('bob')
    const cat = await world.user('cat')
    const guild = await world.org('guild', { owner: ann })
    Object.assign(given, { server, ann, bob, cat, guild } satisfies LabelWorld)
    await world.repo({ owner: ann, name: 'r', autoInit: true })
    await world.repo({ owner: ann, name: 'secret', isPrivate: true })
    await guild.team('crew', { permission: 'read', units: ['repo.code'], members: [bob] })
  })
  afterAll(() => given.server.close())
  return given
}

export async function createLabel(person: Person, path: string, body: object): Promise<Any> {
  const answer = await person.client.post(path, { color: '#112233', ...body })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}

export const namesOf = (answer: Any): string[] => answer.json.map((label: Any) => label.name)
