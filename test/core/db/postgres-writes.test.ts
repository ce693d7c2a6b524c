import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Database, dialectFor, openDatabase, type Tx } from '../../../src/core/db/database.ts'
import { listNextDeliveries } from '../../../src/domains/delivery/hooks/delivery/send/delivery.store.ts'
import { copyTemplate, type MadeDatabase } from '../../harness/postgres.ts'

const PROBE = 'select 4711 as probe'

describe.skipIf(inject('postgresUrl') === '')('transactions on PostgreSQL', () => {
  const sockets = new Set<Socket>()
  let copy: MadeDatabase
  let proxy: Server
  let database: Database

  /** What the client sent, as it arrived. */
  const received: string[] = []

  /** Keeps back the answer to `begin` until the probe has been sent. */
  const relay = (client: Socket, server: Socket): void => {
    const held: Buffer[] = []
    let isHolding = false
    client.on('data', (data) => {
      received.push(String(data))
      if (data.includes('begin')) isHolding = true
      server.write(data)
      if (!data.includes(PROBE)) return
      isHolding = false
      for (const kept of held.splice(0)) client.write(kept)
    })
    server.on('data', (data) => void (isHolding ? held.push(data as Buffer) : client.write(data)))
  }

  beforeAll(async () => {
    copy = await copyTemplate(inject('postgresUrl'), `writes_${randomBytes(6).toString('hex')}`)
    const url = new URL(copy.url)
    const [host, port] = [url.hostname, Number(url.port)]
    proxy = createServer((client) => {
      const server = connect(port, host)
      for (const socket of [client, server]) sockets.add(socket.on('error', () => {}))
      relay(client, server)
      client.on('close', () => server.destroy())
      server.on('close', () => client.destroy())
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    url.port = String((proxy.address() as AddressInfo).port)
    database = openDatabase(dialectFor({ url: url.href, max_connections: 2, statementTimeoutMs: 0 }, ''))
  })
  afterAll(async () => {
    await database.close()
    for (const socket of sockets) socket.destroy()
    proxy.close()
    await copy.drop()
  })

  let probes = 0
  /** NOTE: each is another text, as the second use of a text is sent by the name of its prepared statement. */
  const probe = async (tx: Tx): Promise<unknown> => (await sql.raw(`${PROBE} -- ${++probes}`).execute(tx)).rows[0]

  it('send their first statement without waiting for the answer to begin', async () => {
    expect(await database.transaction(probe)).toEqual({ probe: 4711 })
  })

  it('send begin and their first statement by one write', async () => {
    received.splice(0)
    await database.transaction(probe)
    expect(received.filter((text) => text.includes(PROBE) || text.includes('begin'))).toHaveLength(1)
  })

  it('look up the next deliveries of webhooks one by one, by a plan that they keep, also while there are few', async () => {
    await database.transaction(async (tx) => {
      await probe(tx)
      await sql`insert into webhook (scope, type, url, content_type, created_at, updated_at)
        select 'system', 'gitea', 'http://localhost', 'json', 1, 1 from generate_series(1, 100)`.execute(tx)
      await sql`insert into hook_message (event, event_type, payload, created_at)
        select 'push', 'push', '{}', 1 from generate_series(1, 10)`.execute(tx)
      await sql`insert into hook_delivery (uuid, hook_id, message_id, queued_at, created_at)
        select hook.id || ' ' || message.id, hook.id, message.id, 1, 1
        from webhook as hook, hook_message as message order by message.id, hook.id`.execute(tx)
    })
    await database.transaction(async (tx) => {
      await probe(tx)
      for (let i = 0; i < 12; i++)
        expect((await listNextDeliveries(tx, [1, 2, 3, 4, 5, 6].slice(i % 5))).size).toBe(6 - (i % 5))
      const { rows: plans } = await sql<{ custom: number }>`
        select custom_plans as custom from pg_prepared_statements where statement like '%hook_message%'`.execute(tx)
      const { rows: tables } = await sql<{ scans: number }>`
        select seq_scan as scans from pg_stat_xact_user_tables where relname = 'hook_delivery'`.execute(tx)
      // PostgreSQL plans the first five anew in any case.
      expect(plans.map(({ custom }) => custom <= 5)).toEqual([true])
      expect(tables).toEqual([{ scans: 0 }])
    })
  })
})
