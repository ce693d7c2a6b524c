import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Any } from '../../harness/client.ts'
import { runCommand } from '../../harness/process.ts'
import { createHookWorld, type HookWorld } from './hook-world.ts'

const DAY_MS = 86_400_000

describeOnBoth('the queue and history of webhooks', (kind) => {
  let world: HookWorld
  afterEach(() => world.close())

  const sweep = async (): Promise<void> => {
    await world.root.client.post('/admin/cron/cleanup_hook_task_table')
    await world.server.drain()
  }
  const messages = async (): Promise<number> =>
    (await world.server.app.database.read.selectFrom('hook_message').select('id').execute()).length

  /** More deliveries that ended than one step deletes, each with a message. */
  const fill = (hookId: number, count: number): Promise<void> =>
    world.server.app.database.transaction(async (tx) => {
      for (let n = 0; n < count; n++) {
        const [created_at, uuid] = [world.clock.now() - 1000, randomUUID()]
        const { id } = await tx
          .insertInto('hook_message')
          .values({ event: 'many', event_type: 'many', payload: '{}', created_at })
          .returning('id')
          .executeTakeFirstOrThrow()
        const times = { queued_at: created_at, created_at, finished_at: created_at }
        await tx
          .insertInto('hook_delivery')
          .values({ uuid, hook_id: hookId, message_id: id, state: 'delivered', ...times })
          .execute()
      }
    })

  it('are retained for some days and the latest of each webhook, and all that wait', async () => {
    world = await createHookWorld({
      on: kind,
      tuning: { hooks: { historyDays: 2, historyPerHook: 3 } },
    })
    const hook = await world.hook()
    const failing = await world.hook({ url: 'http://127.0.0.1:9/' })
    const form = await world.hook({ content_type: 'form' })
    for (let n = 0; n < 5; n++) await world.push(`f${n}`)
    await world.server.drain()
    await sweep()
    expect(await world.deliveries(hook.id)).toHaveLength(3)
    expect(await world.deliveries(failing.id)).toHaveLength(5)
    expect(await messages()).toBe(5)
    const [sent] = await world.deliveries(form.id)
    const details = (await world.ann.client.get(`/repos/ann/r/hooks/${form.id}/deliveries/${sent.uuid}`)).json
    const { body } = world.receiver.got.findLast((request) => request.headers['x-ingot-delivery'] === sent.uuid)!
    expect(details.request.body).toBe(body.toString())
    await world.ann.client.delete(`/repos/ann/r/hooks/${form.id}`)
    await fill(hook.id, 450)
    await sweep()
    expect((await world.deliveries(hook.id)).map((one) => one.event)).toEqual(['many', 'many', 'many'])
    expect(await messages()).toBe(5 + 3)
    expect(await world.deliveries(failing.id)).toHaveLength(5)
    await world.ann.client.delete(`/repos/ann/r/hooks/${failing.id}`)
    await sweep()
    expect(await messages()).toBe(3)
    world.clock.add(3 * DAY_MS)
    await world.push('late')
    await world.server.drain()
    await sweep()
    expect(await world.deliveries(hook.id)).toMatchObject([{ attempts: 1, state: 'delivered' }])
    expect(await messages()).toBe(1)
  })

  it('may end when the server stops, and are sent again without a response', async () => {
    world = await createHookWorld({ on: kind, settings: { 'server.shutdown_timeout': '1' } })
    const { server, receiver } = world
    const [late, silent] = [await world.hook({ url: `${receiver.url}/late` }), await world.hook()]
    const answers: (() => void)[] = []
    receiver.answer(({ path }, response) => {
      if (path.endsWith('/late')) answers.push(() => response.end())
    })
    await world.push('one')
    await world.push('two')
    server.app.background.start()
    await receiver.waitFor(2)
    const stopping = server.app.background.stop()
    answers[0]!()
    await stopping
    expect(receiver.got).toHaveLength(2)
    const states = async (id: number) =>
      (await world.deliveries(id)).map(({ state, attempts }: Any) => [state, attempts]).toReversed()
    expect(await states(late.id)).toEqual([
      ['delivered', 1],
      ['waiting', 0],
    ])
    expect(await states(silent.id)).toEqual([
      ['waiting', 0],
      ['waiting', 0],
    ])
    const { read } = server.app.database
    expect(await read.selectFrom('hook_lane').select('holder').where('lease_until', '>', 0).execute()).toEqual([])
  })

  it('are measured', async () => {
    world = await createHookWorld({ on: kind, settings: { 'metrics.enabled': 'true' } })
    await world.hook({ url: 'http://127.0.0.1:9/' })
    await world.push('one')
    await world.push('two')
    await world.server.drain()
    world.clock.add(60_000)
    const { text } = await world.server.anonymous.get('//metrics')
    expect(text).toContain('ingot_webhook_deliveries_waiting 2')
    expect(text).toContain('ingot_webhook_deliveries_dead 0')
    expect(text).toContain('ingot_webhook_failing_hooks 1')
    expect(text).toContain('ingot_webhook_failing_hosts 1')
    expect(Number(/^ingot_webhook_oldest_delivery_seconds (\S+)$/m.exec(text)![1])).toBeGreaterThanOrEqual(60)
  })

  it('are shown on the command line, which can requeue dead ones', async () => {
    world = await createHookWorld({ on: kind, tuning: { hooks: { retryHours: 1 } } })
    const hook = await world.hook({ url: 'http://127.0.0.1:9/' })
    await world.push('one')
    await world.push('two')
    for (let n = 0; n < 8; n++) {
      await world.server.drain()
      world.clock.add(20 * 60_000)
    }
    const place = ['--data-dir', world.server.dataDir, '--set', `database.url=${world.server.app.config.database.url}`]
    const dead = await runCommand(['admin', 'hook', 'dead', ...place])
    const lines = dead.stdout.trim().split('\n')
    expect(lines).toHaveLength(2)
    const [uuid, hookId, event] = lines[0]!.split('\t')
    expect([hookId, event]).toEqual([String(hook.id), 'push'])
    expect((await runCommand(['admin', 'hook', 'requeue', '--uuid', uuid!, ...place])).stdout).toBe(
      '1 delivery is queued again.\n',
    )
    expect(await runCommand(['admin', 'hook', 'requeue', '--uuid', uuid!, ...place])).toMatchObject({ code: 1 })
    expect((await runCommand(['admin', 'hook', 'requeue', ...place])).stdout).toBe('1 delivery is queued again.\n')
    expect(await world.deliveries(hook.id)).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }])
  })
})
