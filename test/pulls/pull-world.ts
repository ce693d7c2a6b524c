import { afterAll, beforeAll, expect } from 'vitest'
import type { Any } from '../harness/client.ts'
import { startServer, type TestServer, type TestServerOptions } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

export interface PullWorld {
  readonly server: TestServer
  /** Owns the public repository `app`, whose branch `main` has a README. */
  readonly ann: Person
  /** Has write permission for `ann/app`. */
  readonly wes: Person
  /** Owns the fork `bob/app`. */
  readonly bob: Person
  /** Has no permission of its own. */
  readonly eve: Person
}

/** The members exist while the tests of the describe block run. */
export function pullWorld(options: TestServerOptions = {}): PullWorld {
  const given = {} as PullWorld
  beforeAll(async () => {
    const server = await startServer(options)
    const { world } = server
    const [ann, wes, bob, eve] = [
      await world.user('ann'),
      await world.user('wes'),
      await world.user('bob'),
      await world.user('eve'),
    ]
    Object.assign(given, { server, ann, wes, bob, eve } satisfies PullWorld)
    await world.repo({ owner: ann, name: 'app', autoInit: true })
    await ann.client.put('/repos/ann/app/collaborators/wes', { permission: 'write' })
    expect((await bob.client.post('/repos/ann/app/forks', {})).status).toBe(202)
  })
  afterAll(() => given.server.close())
  return given
}

interface FileCommit {
  /** The branch to commit to; created from `from` if given. */
  readonly branch: string
  readonly from?: string
  readonly path?: string
  readonly text?: string
  readonly repo?: string
}

/** Commits a new file to a branch through the API; returns the id of the commit. */
export async function commitFile(
  person: Person,
  { branch, from, path = `${branch}.txt`, text = `${branch}\n`, repo = 'ann/app' }: FileCommit,
): Promise<string> {
  const answer = await person.client.post(`/repos/${repo}/contents/${path}`, {
    content: Buffer.from(text).toString('base64'),
    message: `Add ${path}`,
    ...(from === undefined ? { branch } : { branch: from, new_branch: branch }),
  })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json.commit.sha
}

/** Creates a pull request into `main` of `ann/app`, unless the body or another repository is given. */
export async function createPull(
  person: Person,
  body: Readonly<Record<string, unknown>> & { readonly head: string },
  repo = 'ann/app',
): Promise<Any> {
  const answer = await person.client.post(`/repos/${repo}/pulls`, { base: 'main', title: 'A pull request', ...body })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}
