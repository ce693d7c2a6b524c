import { beforeAll, expect } from 'vitest'
import type { Any } from '../../harness/client.ts'
import type { TestServer, TestServerOptions } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'
import { commitFile, pullWorld } from '../pull-world.ts'

interface RequestWorld {
  readonly server: TestServer
  /** Owns `ann/app`, and the organization with `acme/lib`. */
  readonly ann: Person
  /** Writes `ann/app`, and is in the team `core`, which writes `acme/lib`. */
  readonly wes: Person
  /** Reads `acme/secret` by the team `others`, which does not have `acme/lib`. */
  readonly bob: Person
  /** Has no permission of its own. */
  readonly eve: Person
  readonly acme: Organization
}

/** Like `pullWorld`, with the organization `acme`. */
export function requestWorld(options: TestServerOptions = {}): RequestWorld {
  const given = pullWorld(options) as RequestWorld
  beforeAll(async () => {
    const { ann, wes, bob, server } = given
    const acme = await server.world.org('acme', { owner: ann })
    const lib = await server.world.repo({ owner: acme.org, by: ann, name: 'lib', autoInit: true })
    const secret = await server.world.repo({
      owner: acme.org,
      by: ann,
      name: 'secret',
      isPrivate: true,
      autoInit: true,
    })
    const units = ['repo.code', 'repo.pulls'] as const
    await acme.team('core', { permission: 'write', units: [...units], members: [wes], repos: [lib] })
    await acme.team('others', { permission: 'read', units: [...units], members: [bob], repos: [secret] })
    Object.assign(given, { acme })
  })
  return given
}

interface OpenedPull extends Readonly<Record<string, unknown>> {
  readonly repo?: string
  /** The path of the file that the branch adds. */
  readonly path?: string
}

/** Creates a branch with a new file, and a pull request of it into `main`. */
export async function openPull(person: Person, branch: string, options: OpenedPull = {}): Promise<Any> {
  const { repo = 'ann/app', path = `${branch}.txt`, ...body } = options
  await commitFile(person, { branch, from: 'main', path, repo })
  const answer = await person.client.post(`/repos/${repo}/pulls`, {
    head: branch,
    base: 'main',
    title: branch,
    ...body,
  })
  expect(answer.status, JSON.stringify(answer.json)).toBe(201)
  return answer.json
}

/** The reviewers of a pull request: logins, then names of teams. */
export const reviewersIn = (pull: Any): string[] => [
  ...pull.requested_reviewers.map((user: Any) => user.login),
  ...pull.requested_reviewers_teams.map((team: Any) => team.name),
]

export const reviewersOf = async ({ client }: Person, number: number, repo = 'ann/app'): Promise<string[]> =>
  reviewersIn((await client.get(`/repos/${repo}/pulls/${number}`)).json)

/** The entries of requests in the timeline: actor, reviewer, and whether the request was withdrawn. */
export async function requestEntries({ client }: Person, number: number, repo = 'ann/app'): Promise<unknown[]> {
  const { json } = await client.get(`/repos/${repo}/issues/${number}/timeline`)
  return json
    .filter(({ type }: Any) => type === 'review_request')
    .map(({ user, assignee, assignee_team: team, removed_assignee: isRemoved }: Any) => [
      user.login,
      assignee?.login ?? team?.name,
      ...(isRemoved ? ['removed'] : []),
    ])
}
