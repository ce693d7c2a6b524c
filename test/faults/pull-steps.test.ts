import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { describeOnBoth, makePlace, type ServerPlace } from '../harness/databases.ts'
import { type IngotProcess, runCommand, startIngot } from '../harness/process.ts'
import { createGitStops, type GitStop, type GitStops } from './git-stops.ts'
import { git, makeHistory, SCENARIOS, type Scenario, type Site, type Turn } from './pull-scenarios.ts'

/**
 * The server is killed while each kind of write to a pull request has come to the same step. The short run stops around
 * what moves refs, before it on one database and after it on the other; `INGOT_TEST_FAULTS=all` stops before and after
 * every git process on both.
 */
const MOVES: readonly GitStop[] = [
  { nth: 1, only: 'update-ref', when: 'before' },
  { nth: 1, only: 'update-ref', when: 'after' },
]
/** No write asks for more processes. */
const STEPS = 3
const ALL: readonly GitStop[] = [
  ...MOVES,
  { nth: 2, only: 'update-ref', when: 'before' },
  { nth: 2, only: 'update-ref', when: 'after' },
  ...Array.from({ length: STEPS }, (_, index) => index + 1).flatMap((nth) => [
    { nth, when: 'before' } as const,
    { nth, when: 'after' } as const,
  ]),
]
function stopsOf(kind: 'sqlite' | 'postgres'): readonly GitStop[] {
  if (process.env['INGOT_TEST_FAULTS'] === 'all') return ALL
  if (inject('postgresUrl') === '') return MOVES
  return MOVES.filter(({ when }) => (when === 'before') === (kind === 'sqlite'))
}
const HEAL_DEADLINE_MS = 30_000
/** Work that has not come to its step by then waits for other work that has. */
const IDLE_MS = 4_000

let place: ServerPlace
let stops: GitStops
let server: IngotProcess
let password = ''
const storages = new Map<string, string>()

const authorization = () => `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
const site: Site = {
  async call(method, path, body) {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: authorization(), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, json: /^[[{]/.test(text) ? JSON.parse(text) : undefined }
  },
  remote: (repo) => `${server.url.replace('//', `//admin:${encodeURIComponent(password)}@`)}/${repo}.git`,
  get work() {
    return join(place.folder, 'work')
  },
}
const start = (): Promise<IngotProcess> => startIngot(place.dataDir, place.settings, { env: stops.env })
const turn = ({ name }: Scenario, round: number): Turn => ({ site, repo: `admin/${name}`, branch: `t${round}` })

async function begin(kind: 'sqlite' | 'postgres', rounds: number): Promise<void> {
  place = await makePlace(kind)
  mkdirSync(site.work)
  stops = createGitStops(place.folder)
  ;[server] = [await start(), await makeHistory(site.work, rounds)]
  password = server.password
  await site.call('POST', '/orgs', { username: 'acme' })
  const branches = ['main', 'other', ...Array.from({ length: rounds }, (_, round) => `t${round}`)]
  await Promise.all(
    SCENARIOS.map(async ({ name }) => {
      expect((await site.call('POST', '/user/repos', { name, default_branch: 'main' })).status).toBe(201)
      expect(await git(site.work, 'push', '-q', site.remote(`admin/${name}`), ...branches)).toBe('')
    }),
  )
  await prepare(0)
}

async function end(): Promise<void> {
  await server.stop('SIGKILL')
  stops.disarm()
  await place.remove()
}

const prepare = (round: number): Promise<unknown> =>
  Promise.all(SCENARIOS.map(async (scenario) => scenario.prepare?.(turn(scenario, round))))

/** The repositories that a scenario writes to, by the names of their directories. */
async function readStorages(): Promise<void> {
  const database = place.open()
  for (const { name, storage } of await database.read.selectFrom('repo').select(['name', 'storage']).execute())
    storages.set(`${storage.split('/')[1]!}.git`, name)
  await database.close()
}

/** Begins every write and waits until each has stopped, was answered, or waits for one that has stopped. */
async function actUntilStopped(round: number): Promise<ReadonlyMap<string, Promise<boolean>>> {
  const settled = new Set<string>()
  const acts = new Map(
    SCENARIOS.map((scenario) => {
      const acting = scenario
        .act(turn(scenario, round))
        .catch(() => false)
        .finally(() => settled.add(scenario.name))
      return [scenario.name, acting]
    }),
  )
  let before = ''
  let since = performance.now()
  for (;;) {
    const stopped = [...stops.stopped().keys()].map((directory) => storages.get(directory) ?? directory)
    const now = [...settled, '/', ...stopped].join(' ')
    if (now !== before) since = performance.now()
    before = now
    if (SCENARIOS.every(({ name }) => settled.has(name) || stopped.includes(name))) return acts
    if (performance.now() - since > IDLE_MS) return acts
    await wait(10)
  }
}

async function holds(scenario: Scenario, on: Turn): Promise<void> {
  const end = performance.now() + HEAL_DEADLINE_MS
  for (;;) {
    const found = await scenario.read(on)
    try {
      return expect(found, scenario.name).toEqual(scenario.wanted)
    } catch (error) {
      if (performance.now() > end) throw error
      await wait(150)
    }
  }
}

async function doctorAgrees(): Promise<string> {
  const end = performance.now() + HEAL_DEADLINE_MS
  for (;;) {
    const { stdout } = await runCommand(['doctor', '--data-dir', place.dataDir, ...place.settings])
    if (stdout.endsWith('Nothing is wrong.\n') || performance.now() > end) return stdout
  }
}

describeOnBoth('kill -9 of a server that works on pull requests', (kind) => {
  const steps = stopsOf(kind)
  beforeAll(() => begin(kind, steps.length), 120_000)
  afterAll(end)

  it.each(steps.map((stop, round) => ({ ...stop, only: stop.only ?? 'git process', round })))(
    '$when $only number $nth of each write loses nothing that was acknowledged and does nothing twice',
    async ({ round }) => {
      if (round > 0) await prepare(round)
      await readStorages()
      stops.arm(steps[round]!)
      const acts = await actUntilStopped(round)
      const stopped = stops.stopped().size
      await server.stop('SIGKILL')
      stops.disarm()
      server = await start()
      expect(stopped).toBeGreaterThan(0)
      await Promise.all(
        SCENARIOS.map(async (scenario) => {
          const on = turn(scenario, round)
          if (!(await acts.get(scenario.name))) await scenario.again?.(on)
          await holds(scenario, on)
        }),
      )
    },
    120_000,
  )

  it('leaves nothing that the doctor finds', async () => {
    expect(await doctorAgrees()).toMatch(/Nothing is wrong\.\n$/)
  })
})
