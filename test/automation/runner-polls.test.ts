import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { dialectFor, openDatabase } from '../../src/core/db/database.ts'
import type { Logger } from '../../src/core/platform/logger.ts'
import { createActionsFactory } from '../harness/actions.ts'
import { registerRunner, rpc, type TestRunner } from '../harness/runner.ts'
import { startServer, type TestServer } from '../harness/server.ts'

interface Line {
  /** The path in lines about requests. */
  readonly path?: string
  readonly status: number
}

const lines: Line[] = []
let server: TestServer
let runner: TestRunner
let repoId: number

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  server = await startServer({ log: log as unknown as Logger })
  const ann = await server.world.user('ann')
  repoId = (await server.world.repo({ owner: ann, name: 'r' })).id
  const { token } = (await ann.client.get('/repos/ann/r/actions/runners/registration-token')).json
  runner = await registerRunner(server.url, token)
})
afterAll(() => server.close())
beforeEach(() => void lines.splice(0))

const poll = async (tasksVersion = 0n) => runner.call(rpc.fetchTask, { tasksVersion })
const queue = () =>
  createActionsFactory(server.app).run(repoId as never, { jobs: { a: { labels: ['host'], status: 'waiting' } } })
const logged = (): number[] =>
  lines.filter(({ path }) => path?.endsWith('/FetchTask') === true).map(({ status }) => status)

it('logs a poll at the level info only when it got a task or was refused', async () => {
  await poll()
  await poll()
  expect(logged()).toEqual([])
  await queue()
  await poll()
  expect(logged()).toEqual([200])
  await expect(runner.call(rpc.fetchTask, {}, { headers: { 'x-runner-token': 'wrong' } })).rejects.toThrow()
  expect(logged()).toEqual([200, 401])
})

it('learns with the next poll what another process committed', async () => {
  await queue()
  const { tasksVersion } = await poll()
  await poll(tasksVersion)
  const limits = { url: '', max_connections: 1, statementTimeoutMs: 60_000 }
  const other = openDatabase(dialectFor(limits, server.dataDir))
  try {
    await createActionsFactory({ database: other }).run(repoId as never, {
      jobs: { a: { labels: ['host'], status: 'waiting' } },
    })
    expect((await poll(tasksVersion)).task).toBeDefined()
    await other.transaction((tx) => tx.deleteFrom('action_runner').where('uuid', '=', runner.uuid).execute())
    await expect(poll(tasksVersion)).rejects.toMatchObject({ status: 401 })
  } finally {
    await other.close()
  }
})
