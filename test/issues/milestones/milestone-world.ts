import { afterAll, beforeAll, expect } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

interface MilestoneWorld {
  readonly server: TestServer
  /** The owner of the repositories `r`, `other` and `secret` (private) and the organization `guild`. */
  readonly ann: Person
  readonly bob: Person
  readonly guild: Organization
}

/** The accounts exist while the tests of the describe block run. */
export function milestoneWorld(on: 'sqlite' | 'postgres'): MilestoneWorld {
  const given = {} as MilestoneWorld
  beforeAll(async () => {
    const server = await startServer({ on })
    const { world } = server
    const ann = await world.user('ann')
    const bob = await world.user('bob')
    const guild = await world.org('guild', { owner: ann })
    Object.assign(given, { server, ann, bob, guild } satisfies MilestoneWorld)
    for (const name of ['r', 'other']) await world.repo({ owner: ann, name })
    await world.repo({ owner: ann, name: 'secret', isPrivate: true })
  })
  afterAll(() => given.server.close())
  return given
}

export async function createMilestone(person: Person, path: string, body: object): Promise<Any> {
  const answer = await person.client.post(path, body)
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}

export const titlesOf = (answer: Any): string[] => answer.json.map((milestone: Any) => milestone.title)
