import { afterAll, beforeAll, expect } from 'vitest'
import type { Any } from '../harness/client.ts'
import { startServer, type TestServer, type TestServerOptions } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

interface IssueWorld {
  readonly server: TestServer
  /** The owner of the public repository `desk`, which is not empty, and the private repository `vault`. */
  readonly ann: Person
  /** A user with write permission for `ann/desk`. */
  readonly wes: Person
  /** A user without permissions. */
  readonly bob: Person
}

/** The accounts exist while the tests of the describe block run. */
export function issueWorld(options: TestServerOptions = {}): IssueWorld {
  const given = {} as IssueWorld
  beforeAll(async () => {
    const server = await startServer(options)
    const { world } = server
    const [ann, wes, bob] = [await world.user('ann'), await world.user('wes'), await world.user('bob')]
    Object.assign(given, { server, ann, wes, bob } satisfies IssueWorld)
    await world.repo({ owner: ann, name: 'desk', autoInit: true })
    await world.repo({ owner: ann, name: 'vault', isPrivate: true, autoInit: true })
    await ann.client.put('/repos/ann/desk/collaborators/wes', { permission: 'write' })
  })
  afterAll(() => given.server.close())
  return given
}

/** Creates an issue in `ann/desk` or the given repository. */
export async function createIssue(person: Person, body: object = {}, repo = 'ann/desk'): Promise<Any> {
  const answer = await person.client.post(`/repos/${repo}/issues`, { title: 'An issue', ...body })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}

/** Comments on an issue of `ann/desk` or the given repository. */
export async function comment(person: Person, number: number, body: object = {}, repo = 'ann/desk'): Promise<Any> {
  const answer = await person.client.post(`/repos/${repo}/issues/${number}/comments`, { body: 'A comment', ...body })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}

/** The timeline of an issue of `ann/desk`. */
export async function timelineOf(person: Person, number: number): Promise<Any[]> {
  const answer = await person.client.get(`/repos/ann/desk/issues/${number}/timeline`)
  expect(answer.status).toBe(200)
  return answer.json
}
