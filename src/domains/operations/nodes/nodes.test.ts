import { hostname } from 'node:os'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onlyProcess } from '../../../core/platform/concurrency/processes.ts'
import { INGOT_VERSION } from '../../../core/platform/version.ts'
import type { NodeRow } from './node.store.ts'
import { Nodes } from './nodes.service.ts'
import type { Finding } from '../../../core/module.ts'
import type { Client } from '../../../../test/harness/client.ts'
import { describeOnBoth } from '../../../../test/harness/databases.ts'
import { startServer, type TestServer } from '../../../../test/harness/server.ts'
import { MEASURED } from '../../../../test/harness/measured.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND

describeOnBoth('nodes', (kind) => {
  let server: TestServer
  let admin: Client
  let now: number
  beforeAll(async () => {
    server = await startServer({ on: kind, settings: { 'cluster.node': 'one', 'server.host': '0.0.0.0' } })
    admin = (await server.world.admin('root')).client
    now = await server.app.nodes.databaseTime()
  })
  afterAll(() => server.close())

  const row = (name: string, facts: Partial<NodeRow> = {}): NodeRow => ({
    instance: `${name} ${facts.host ?? 'h'} 1`,
    name,
    host: 'h',
    pid: 1,
    version: INGOT_VERSION,
    schema: '202611241900-baseline',
    address: 'h:3000',
    workers: 1,
    started_at: now - 48 * HOUR,
    heartbeat_at: now,
    clock_offset: 0,
    sender_pid: 1,
    ...facts,
  })
  const insert = (...rows: NodeRow[]): Promise<unknown> =>
    server.app.database.transaction((tx) => tx.insertInto('node').values(rows).execute())
  const names = async (): Promise<string[]> =>
    (await admin.get('/admin/nodes')).json.map(({ name }: { name: string }) => name)
  const findings = async (): Promise<Finding[]> => {
    const found: Finding[] = []
    for (const check of server.app.checks)
      if (check.name === 'nodes')
        for await (const finding of check.run({ fix: false, quick: false })) found.push(finding)
    return found
  }

  it('are for site administrators', async () => {
    expect((await server.anonymous.get('/admin/nodes')).status).toBe(401)
    expect((await (await server.world.user('ann')).client.get('/admin/nodes')).status).toBe(403)
  })

  it('have a row that the first heartbeat inserts and later ones update', async () => {
    expect(await names()).toEqual([])
    await server.app.nodes.beat()
    const [first] = (await admin.get('/admin/nodes')).json
    expect(first).toMatchObject({
      name: 'one',
      host: hostname(),
      pid: process.pid,
      address: `${hostname()}:`,
      version: INGOT_VERSION,
      workers: 1,
      state: 'running',
    })
    expect(first.schema).toMatch(/^\d{12}-/)
    expect(Math.abs(Date.parse(first.heartbeat_at) - Date.now())).toBeLessThan(60 * SECOND)
    expect(Math.abs(first.clock_offset)).toBeLessThan(SECOND)
    await server.app.database.transaction((tx) => tx.deleteFrom('node').execute())
    await server.app.nodes.beat()
    expect(await names()).toEqual(['one'])
    expect(await findings()).toEqual([])
  })

  it('have the state gone after four missed heartbeats, and are deleted after a day', async () => {
    const interval = kind === 'sqlite' ? 60 * SECOND : 5 * SECOND
    await insert(
      row('late', { heartbeat_at: now - 3 * interval }),
      row('gone', { heartbeat_at: now - 4 * interval - 60 * SECOND }),
      row('forgotten', { heartbeat_at: now - 25 * HOUR }),
    )
    await server.app.nodes.beat()
    const { json, headers } = await admin.get('/admin/nodes?limit=2')
    expect(json.map(({ name, state }: Record<string, string>) => `${name} ${state}`)).toEqual([
      'gone gone',
      'late running',
    ])
    expect(headers.get('x-total-count')).toBe('3')
    expect(headers.get('link')).toContain('page=2')
    expect(await findings()).toEqual([
      {
        what: expect.stringMatching(/^the node gone \(process 1 of h\) is gone: its last heartbeat was \d+ s ago$/),
        state: 'note',
      },
    ])
  })

  it('are reported by the doctor when their version, clock or name is wrong', async () => {
    await server.app.database.transaction((tx) => tx.deleteFrom('node').execute())
    await insert(
      row('fast', { clock_offset: 1_500 }),
      row('old', { version: '26.1.0' }),
      row('slow', { clock_offset: -61_000 }),
      row('twin'),
      row('twin', { host: 'g' }),
    )
    expect(await findings()).toEqual([
      { what: `the node old (process 1 of h) runs Ingot 26.1.0; this is ${INGOT_VERSION}`, state: 'note' },
      { what: 'the clock of the node fast (process 1 of h) is 1.5 s ahead of that of the database', state: 'problem' },
      { what: 'the clock of the node slow (process 1 of h) is 61.0 s behind that of the database', state: 'problem' },
      { what: '2 nodes are called twin: give each a name of its own (cluster.node)', state: 'problem' },
    ])
  })

  it('measure their clock, replace the row of an earlier run and share one among processes', MEASURED, async () => {
    await server.app.database.transaction((tx) => tx.deleteFrom('node').execute())
    await insert(row('two', { instance: 'two h 0' }))
    const { database, log } = server.app
    const { heartbeat_at: _, clock_offset: __, ...self } = row('two')
    const clock = { now: () => Date.now() + 5 * SECOND }
    const [first, second] = [10, 11].map(
      (pid) => new Nodes({ database, clock, log, processes: onlyProcess(), self: { ...self, sender_pid: pid } }),
    )
    await first!.beat()
    // The nodes that an administrator has to stop before repairs.
    await insert(row('far'), row('away', { heartbeat_at: 0 }))
    expect(await first!.listOthers()).toEqual(kind === 'sqlite' ? [] : ['far'])
    const processes = { acrossMachines: true, otherNodes: async () => ['other'] }
    expect(await new Nodes({ database, clock, log, processes, self }).listOthers()).toEqual(['other'])
    await server.app.database.transaction((tx) => tx.deleteFrom('node').where('name', '!=', 'two').execute())
    await second!.beat()
    const { json } = await admin.get('/admin/nodes')
    expect(json).toHaveLength(1)
    expect(Math.abs(json[0].clock_offset - 5 * SECOND)).toBeLessThan(SECOND)
    await first!.stop()
    expect(await names()).toEqual(['two'])
    await second!.stop()
    expect(await names()).toEqual([])
  })

  it('have no row after a graceful stop', async () => {
    server.app.background.start()
    await expect.poll(names).toEqual(['one'])
    await server.app.background.stop()
    expect(await names()).toEqual([])
  })
})
