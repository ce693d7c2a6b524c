import { beforeAll, expect } from 'vitest'
import type { Any } from '../../harness/client.ts'
import type { TestServer, TestServerOptions } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { merge, newPull, PULLS, pullWorld } from '../merges/merge-world.ts'

export { commitFile, merge, newPull, PULLS } from '../merges/merge-world.ts'

export const RULES = '/repos/ann/app/branch_protections'
const MAIN = '/repos/ann/app/branches/main'

/** Puts a pull request of `ann/app` into the queue of its base. */
export const enqueue = (person: Person, number: number, body: Readonly<Record<string, unknown>> = {}): Promise<Any> =>
  merge(person, number, { queue: true, ...body })

/** The directory of `ann/app`. */
export async function repoPath({ app }: TestServer): Promise<string> {
  const row = await app.database.read
    .selectFrom('repo')
    .select('storage')
    .where('name', '=', 'app')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  return app.git.path(row.storage)
}

type QueueWorld = ReturnType<typeof pullWorld> & {
  /** New pull requests of wes with these branches, queued in this order; returns their numbers. */
  queued(...branches: readonly string[]): Promise<number[]>
  /** The entries of the queue of `main`, after all pending jobs have run. */
  entries(): Promise<Any[]>
  /** The numbers and states of the queue. */
  states(): Promise<[number: number, state: string][]>
  /** Reports the required status of a commit. */
  reportFor(sha: string, state: string): Promise<void>
  /** Reports the required status of the batch under test; returns its numbers. */
  report(state: string): Promise<number[]>
  shown(number: number): Promise<Any>
  /** The tip of `main`. */
  tip(): Promise<string>
  /** The timeline, as kinds with their texts. */
  timeline(number: number): Promise<string[]>
}

/** `ann/app`, whose branch `main` requires the status `ci`. */
export function queueWorld(options: TestServerOptions): QueueWorld {
  const world = pullWorld(options) as QueueWorld
  beforeAll(async () => {
    const rule = { rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: ['ci'] }
    expect((await world.ann.client.post(RULES, rule)).status).toBe(201)
  })
  return Object.assign(world, {
    async queued(...branches) {
      const numbers: number[] = []
      for (const branch of branches) {
        const { number } = await newPull(world.wes, branch)
        const answer = await enqueue(world.wes, number)
        expect(answer.status, JSON.stringify(answer.json)).toBe(201)
        numbers.push(number)
      }
      return numbers
    },
    async entries() {
      await world.server.drain()
      const answer = await world.ann.client.get(`${MAIN}/queue`)
      expect(answer.status, JSON.stringify(answer.json)).toBe(200)
      return answer.json
    },
    states: async () => (await world.entries()).map((entry) => [entry.pull_request.number, entry.state]),
    async reportFor(sha, state) {
      const answer = await world.ann.client.post(`/repos/ann/app/statuses/${sha}`, { state, context: 'ci' })
      expect(answer.status, JSON.stringify(answer.json)).toBe(201)
    },
    async report(state) {
      const tested = (await world.entries()).filter((entry) => entry.state === 'testing')
      expect(tested.length).toBeGreaterThan(0)
      const { sha } = tested[0].batch
      await world.reportFor(sha, state)
      return tested.map((entry) => entry.pull_request.number)
    },
    shown: async (number) => (await world.ann.client.get(`${PULLS}/${number}`)).json,
    tip: async () => (await world.ann.client.get(MAIN)).json.commit.id,
    async timeline(number) {
      const entries = (await world.ann.client.get(`/repos/ann/app/issues/${number}/timeline`)).json
      // The commit of a merge refers to its own pull request.
      const own = entries.filter(({ type }: Any) => type !== 'commit_ref')
      return own.map(({ type, body }: Any) =>
        [type, type === 'pull_push' ? '' : body].filter((text) => text !== '').join(': '),
      )
    },
  } satisfies Omit<QueueWorld, keyof ReturnType<typeof pullWorld>>)
}
