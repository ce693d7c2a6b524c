import { expect } from 'vitest'
import type { Any } from '../../harness/client.ts'
import type { Person } from '../../harness/world.ts'
import { commitFile, createPull } from '../pull-world.ts'

export { commitFile, createPull, pullWorld } from '../pull-world.ts'

export const PULLS = '/repos/ann/app/pulls'

/** A pull request of a new branch with one new file. */
export async function newPull(
  person: Person,
  branch: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Any> {
  await commitFile(person, { branch, from: 'main' })
  return createPull(person, { head: branch, title: `Pull ${branch}`, ...body })
}

/** Merges a pull request of `ann/app`. */
export const merge = (person: Person, number: number, body: Readonly<Record<string, unknown>> = {}): Promise<Any> =>
  person.client.post(`${PULLS}/${number}/merge`, { Do: 'merge', ...body })

/** Merges; returns the commit. */
export async function merged(
  person: Person,
  number: number,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Any> {
  const answer = await merge(person, number, body)
  expect(answer.status, JSON.stringify(answer.json)).toBe(200)
  return (await person.client.get(`/repos/ann/app/git/commits/${answer.json.sha}`)).json
}
