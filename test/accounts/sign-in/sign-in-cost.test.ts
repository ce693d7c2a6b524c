import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queriesOf, type AskedQuery } from '../../harness/queries.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { MEASURED } from '../../harness/measured.ts'

let server: TestServer
let ann: Person

beforeAll(async () => {
  server = await startServer({ passwordCost: undefined })
  ann = await server.world.user('ann')
})
afterAll(() => server.close())

const version = async (headers?: Record<string, string>): Promise<number> =>
  (await server.anonymous.get('/version', headers)).status

describe('a token check', () => {
  const plan = async ({ sql: text, parameters }: AskedQuery): Promise<string[]> => {
    const { rows } = await server.app.database.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
    )
    return rows.map((row) => row.detail)
  }

  it('costs one indexed query with its owner, and none until the next commit', async () => {
    const { database } = server.app
    const headers = { authorization: `token ${await ann.token('read:user')}` }
    expect(await version(headers)).toBe(200)
    // A commit, after which everything is looked up again.
    await ann.client.patch('/user/settings', { location: 'Oslo' })
    const sent = await queriesOf(database, async () => expect(await version(headers)).toBe(200))
    expect(sent.map((query) => /from "(\w+)" inner join "(\w+)"/.exec(query.sql)?.slice(1))).toEqual([
      ['access_token', 'user'],
    ])
    const steps = await plan(sent[0]!)
    expect(steps).toHaveLength(2)
    for (const step of steps) expect(step).toMatch(/^SEARCH \w+ USING (?:INDEX|INTEGER PRIMARY KEY)/)
    expect(await queriesOf(database, async () => expect(await version(headers)).toBe(200))).toEqual([])
  })

  it('of a wrong token costs one look-up among tokens, one among jobs, and no password check', async () => {
    expect(
      await queriesOf(server.app.database, async () =>
        expect(await version({ authorization: `token ${'0'.repeat(40)}` })).toBe(401),
      ),
    ).toHaveLength(2)
  })
})

describe('signing in by password', () => {
  it('never blocks other requests', MEASURED, async () => {
    await version({ authorization: `Basic ${Buffer.from('zero:some-password').toString('base64')}` })
    const others = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((name) => ({
      authorization: `Basic ${Buffer.from(`${name}:some-password`).toString('base64')}`,
    }))
    const [all, answering] = [process.cpuUsage(), process.threadCpuUsage()]
    expect(await Promise.all(others.map((headers) => version(headers)))).toEqual(others.map(() => 401))
    const spent = ({ user, system }: NodeJS.CpuUsage): number => user + system
    // The server runs in this thread, and hashes slowly in others. Elapsed time would measure how busy the machine
    // is.
    expect(spent(process.threadCpuUsage(answering))).toBeLessThan(spent(process.cpuUsage(all)) / 2)
  })
})
