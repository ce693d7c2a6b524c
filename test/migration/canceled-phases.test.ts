import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Schema } from '../../src/core/db/schema.ts'
import { until } from '../core/git/wire/client.ts'
import type { Any } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { type Gate, REQUESTS, serveEverything } from './full-service.ts'
import { stagedRepos, storedFiles, storedRepos } from './import-world.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** The request at which the import is canceled, in the middle of each phase. */
const PHASES = [
  ['git data', 'GET /o/full.git/info/refs?service=git-upload-pack'],
  ['the wiki', REQUESTS.wiki],
  ['labels', REQUESTS.labels],
  ['releases', REQUESTS.releases],
  ['files of releases', REQUESTS.releaseFiles],
  ['issues', REQUESTS.issues],
  ['pull requests', REQUESTS.pulls],
  ['comments', REQUESTS.comments],
  ['reviews', REQUESTS.reviews],
  ['events', REQUESTS.events],
  ['tracked times', REQUESTS.trackedTimes],
  ['dependencies', REQUESTS.dependencies],
  ['protections', REQUESTS.protections],
  ['the list of large files', REQUESTS.largeFiles],
  ['a large file', 'GET /large'],
] as const

/** Tables to which an import writes rows of one repository. */
const TABLES: readonly (keyof Schema)[] = [
  'attachment',
  'branch',
  'branch_rule',
  'import_key',
  'issue',
  'issue_dependency',
  'issue_label',
  'issue_sequence',
  'label',
  'lfs_link',
  'milestone',
  'pull',
  'reaction',
  'release',
  'repo',
  'review',
  'review_comment',
  'timeline_entry',
  'tracked_time',
  'unfinished_import',
]

describe('an import that is canceled', () => {
  let upstream: Upstream
  let gate: Gate
  let target: TestServer
  let tom: Person
  let nothing: object

  beforeAll(async () => {
    upstream = await startUpstream()
    gate = await serveEverything(upstream)
    target = await startServer({
      settings: { 'lfs.enabled': 'true' },
      tuning: { importSleep: async () => {}, jobInterval: 50 },
    })
    target.app.background.start()
    tom = await target.world.user('tom')
    nothing = await left()
  })
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })

  const start = async (token: string): Promise<number> => {
    const parts = ['wiki', 'lfs', 'labels', 'milestones', 'issues', 'pull_requests', 'releases']
    const { status, json } = await tom.client.post('/repos/migrate?async=true', {
      clone_addr: `${upstream.url}/o/full.git`,
      auth_token: token,
      service: 'gitea',
      repo_name: 'full',
      ...Object.fromEntries(parts.map((part) => [part, true])),
    })
    expect([status, json.message]).toEqual([202, undefined])
    return json.id
  }
  const ended = async (id: number): Promise<Any> => {
    let found: Any
    await until(
      'the import to end',
      async () => (found = (await tom.client.get(`/repos/migrations/${id}`)).json).state !== 'running',
      30_000,
    )
    return found
  }
  const left = async (): Promise<Record<string, number>> => {
    const counts = await Promise.all(TABLES.map(async (table) => [table, (await rows(target, table)).length] as const))
    return {
      ...Object.fromEntries(counts),
      storedRepos: storedRepos(target).length,
      stagedRepos: stagedRepos(target).length,
      storedFiles: storedFiles(target).length,
    }
  }

  const cancel = async (id: number): Promise<void> => {
    expect((await tom.client.delete(`/repos/migrations/${id}`)).status).toBe(204)
    expect(await ended(id)).toMatchObject({ state: 'canceled', repo_id: null })
  }

  it.each(PHASES)(
    'while it reads %s leaves no rows, repositories and files, and frees the name',
    { timeout: 40_000 },
    async (_, at) => {
      const held = Promise.withResolvers<void>()
      Object.assign(gate, { at, onHeld: held.resolve })
      // Requests for files carry no token.
      for (const token of ['held', '']) gate.held.add(token)
      const id = await start('held')
      await held.promise
      await cancel(id)
      await expect.poll(left, { timeout: 15_000 }).toEqual(nothing)
      await cancel(await start('held'))
      await expect.poll(left, { timeout: 15_000 }).toEqual(nothing)
    },
  )
})
