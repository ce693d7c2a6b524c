import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../core/git/wire/client.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth, makePlace, type ServerPlace } from '../harness/databases.ts'
import { type IngotProcess, startIngot } from '../harness/process.ts'
import { API, type Gate, REQUESTS, serveEverything } from './full-service.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/** The request at which the server is killed, in the middle of each phase. */
const PHASES = [
  ['the wiki', REQUESTS.wiki],
  ['labels', REQUESTS.labels],
  ['releases', REQUESTS.releases],
  ['files of releases', REQUESTS.releaseFiles],
  ['issues', REQUESTS.issues],
  ['reactions', `GET ${API}/issues/10/reactions`],
  ['pulls', REQUESTS.pulls],
  ['comments', REQUESTS.comments],
  ['reviews', REQUESTS.reviews],
  ['events', REQUESTS.events],
  ['tracked times', REQUESTS.trackedTimes],
  ['dependencies', REQUESTS.dependencies],
  ['protections', REQUESTS.protections],
  ['large files, after which the repository is shown', REQUESTS.largeFiles],
] as const

/** Phases that run unless all are requested. */
const SOME = ['issues', 'pulls', 'comments', 'reviews']
const IS_ALL = process.env['INGOT_TEST_FAULTS'] === 'all'

const LISTS = [
  '/labels',
  '/milestones?state=all',
  '/releases',
  '/issues?state=all',
  '/issues/comments',
  '/issues/10/reactions',
  '/times',
  '/issues/1/dependencies',
  '/branch_protections',
  '/pulls?state=all',
  ...[1, 11, 12, 18].map((number) => `/issues/${number}/timeline`),
  ...[13, 17, 18].map((number) => `/pulls/${number}/reviews`),
]

describeOnBoth('an asynchronous import of a server that is killed', (kind) => {
  let upstream: Upstream
  let gate: Gate
  let place: ServerPlace
  let server: IngotProcess
  let headers: Record<string, string>
  let whole: readonly Any[]
  let repos = 0
  let runs = 0

  const start = () =>
    startIngot(place.dataDir, [...place.settings, '--set', 'migrations.allowed_hosts=*', '--set', 'lfs.enabled=true'])
  const call = (path: string, init: RequestInit = {}) => fetch(`${server.url}/api/v1${path}`, { headers, ...init })
  const json = async (path: string): Promise<Any> => (await call(path)).json()
  const begin = async (name: string, token: string): Promise<number> => {
    const parts = Object.fromEntries(
      ['wiki', 'lfs', 'labels', 'milestones', 'issues', 'pull_requests', 'releases'].map((part) => [part, true]),
    )
    const body = { clone_addr: `${upstream.url}/o/full.git`, auth_token: token, service: 'gitea', repo_name: name }
    const begun = await call('/repos/migrate?async=true', {
      method: 'POST',
      body: JSON.stringify({ ...body, ...parts }),
    })
    expect(begun.status).toBe(202)
    return ((await begun.json()) as { readonly id: number }).id
  }
  const ended = async (id: number): Promise<Any> => {
    let found: Any
    await until(
      'the import to end',
      async () => (found = await json(`/repos/migrations/${id}`)).state !== 'running',
      60_000,
    )
    return found
  }
  /** All that is shown of a repository, without ids and times of the import. */
  const contentOf = async (name: string): Promise<Any[]> => {
    const found: Any[] = []
    for (const list of LISTS)
      for (let page = 1; page < 10; page++) {
        const answer = await call(`/repos/admin/${name}${list}${list.includes('?') ? '&' : '?'}limit=50&page=${page}`)
        expect([list, answer.status]).toEqual([list, 200])
        const items = (await answer.json()) as Any[]
        found.push(...items.map((item: Any) => [list, shown(item)]))
        if (items.length < 50) break
      }
    return found
  }
  const storedDirs = (): number =>
    readdirSync(join(place.dataDir, 'git', 'repos'), { recursive: true }).filter((name) =>
      String(name).endsWith('.git'),
    ).length

  beforeAll(async () => {
    upstream = await startUpstream()
    gate = await serveEverything(upstream)
    place = await makePlace(kind)
    server = await start()
    headers = {
      authorization: `Basic ${Buffer.from(`admin:${server.password}`).toString('base64')}`,
      'content-type': 'application/json',
    }
    expect(await ended(await begin('whole', 'none'))).toMatchObject({ state: 'done', warnings: [], error: '' })
    repos++
    whole = await contentOf('whole')
    expect(whole.length).toBeGreaterThan(200)
  }, 120_000)
  afterAll(async () => {
    await server.stop('SIGKILL')
    await upstream.close()
    await place.remove()
  })

  it.each(PHASES.filter(([name]) => IS_ALL || SOME.includes(name)))(
    'continues, or deletes everything when it is canceled, after a kill in %s',
    async (_, at) => {
      const [ours, theirs] = [`resumed${++runs}`, `canceled${runs}`]
      const held = Promise.withResolvers<void>()
      const waiting = new Set<string>()
      gate.at = at
      gate.held.add('resumed').add('canceled')
      gate.onHeld = (token) => {
        if (waiting.add(token).size === 2) held.resolve()
      }
      const resumed = await begin(ours, 'resumed')
      const canceled = await begin(theirs, 'canceled')
      await held.promise
      await server.stop('SIGKILL')

      gate.held.delete('resumed')
      server = await start()
      expect((await call(`/repos/migrations/${canceled}`, { method: 'DELETE' })).status).toBe(204)
      expect(await ended(canceled)).toMatchObject({ state: 'canceled', repo_id: null })
      expect(await ended(resumed)).toMatchObject({ state: 'done', error: '', warnings: [] })
      expect(await contentOf(ours)).toEqual(whole)
      expect((await call(`/repos/admin/${theirs}`)).status).toBe(404)
      repos++
      expect(storedDirs()).toBe(2 * repos)
      const database = place.open()
      try {
        expect(await database.read.selectFrom('repo').select('name').execute()).toHaveLength(repos)
        const stored = await database.read.selectFrom('issue').select('id').execute()
        expect(stored).toHaveLength(repos * 18)
      } finally {
        await database.close()
      }
    },
    120_000,
  )
})

const NAMES = [
  'name',
  'title',
  'tag_name',
  'number',
  'body',
  'type',
  'content',
  'state',
  'time',
  'rule_name',
  'comments',
]
const TIMES = ['created_at', 'closed_at', 'submitted_at']

/** What does not differ between two imports of one object. */
const shown = (item: Any): Any => ({
  // The other server states no time of a protection.
  ...Object.fromEntries([...NAMES, ...(item.rule_name ? [] : TIMES)].map((name) => [name, item[name]])),
  author: item.original_author,
  labels: item.labels?.map(({ name }: Any) => name),
  assets: item.assets?.map(({ name }: Any) => name),
  reviewed: item.comments_count,
  head: item.head?.sha,
})
