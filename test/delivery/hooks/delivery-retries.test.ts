import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { type Receiver, startReceiver } from '../../harness/receiver.ts'
import { createHookWorld, type HookWorld } from './hook-world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

describeOnBoth('deliveries that fail', (kind) => {
  let world: HookWorld
  let [broken, other] = [] as unknown as [Receiver, Receiver]
  beforeAll(async () => {
    world = await createHookWorld({ on: kind, settings: { 'webhook.deliver_timeout': '1' } })
  })
  beforeEach(async () => {
    ;[broken, other] = [await startReceiver(), await startReceiver()]
    broken.answer((_, response) => response.writeHead(500).end('out of order'))
    return async () => {
      for (const { id } of (await world.ann.client.get('/repos/ann/r/hooks')).json)
        await world.ann.client.delete(`/repos/ann/r/hooks/${id}`)
      await broken.close()
      await other.close()
    }
  })
  afterAll(() => world.close())

  const pushed = (receiver: Receiver): string[] =>
    receiver.got.map(({ body }) => JSON.parse(body).head_commit.message.trim())
  const later = async (ms: number): Promise<void> => {
    world.clock.add(ms)
    await world.server.drain()
  }
  const statusOf = async (id: number): Promise<string> =>
    (await world.ann.client.get(`/repos/ann/r/hooks/${id}`)).json.last_status

  it('are retried with growing pauses, in order, without delaying other webhooks', async () => {
    const hook = await world.hook({ url: broken.url })
    await world.hook({ url: other.url })
    await world.push(`a-${kind}`)
    await world.push(`b-${kind}`)
    await world.server.drain()
    expect(pushed(broken)).toEqual([`a-${kind}`])
    expect(pushed(other)).toEqual([`a-${kind}`, `b-${kind}`])
    expect(await statusOf(hook.id)).toBe('failed')
    await later(1_000)
    expect(broken.got).toHaveLength(1)
    await later(6_000)
    expect(broken.got).toHaveLength(2)
    await later(6_000)
    expect(broken.got).toHaveLength(2)
    broken.answer((_, response) => response.end())
    await later(MINUTE_MS)
    expect(pushed(broken)).toEqual([`a-${kind}`, `a-${kind}`, `a-${kind}`, `b-${kind}`])
    const [second, first] = await world.deliveries(hook.id)
    expect(first).toMatchObject({ state: 'delivered', attempts: 3, status: 200, error: '' })
    expect(first.history.map(({ status, error }: { status: number; error: string }) => [status, error])).toEqual([
      [500, 'the answer was 500'],
      [500, 'the answer was 500'],
      [200, ''],
    ])
    expect(second).toMatchObject({ state: 'delivered', attempts: 1 })
    // One delivery id through all attempts.
    expect(new Set(broken.got.slice(0, 3).map(({ headers }) => headers['x-ingot-delivery'])).size).toBe(1)
    expect(await statusOf(hook.id)).toBe('delivered')
  })

  it('are given up after a day of failures; an administrator can list and requeue them', async () => {
    const hook = await world.hook({ url: broken.url })
    await world.push(`dead-1-${kind}`)
    await world.push(`dead-2-${kind}`)
    for (let hour = 0; hour < 26; hour++) await later(1.3 * HOUR_MS)
    expect(await statusOf(hook.id)).toBe('dead')
    const tries = broken.got.length
    expect(tries).toBeGreaterThan(10)
    await later(5 * HOUR_MS)
    expect(broken.got).toHaveLength(tries)
    const { root, ann } = world
    const dead = await root.client.get('/admin/hook-deliveries/dead')
    expect(dead.headers.get('x-total-count')).toBe('2')
    expect(dead.json.map((entry: { hook_id: number; state: string }) => [entry.hook_id, entry.state])).toEqual([
      [hook.id, 'dead'],
      [hook.id, 'dead'],
    ])
    expect((await ann.client.get('/admin/hook-deliveries/dead')).status).toBe(403)
    expect((await ann.client.post('/admin/hook-deliveries/dead/requeue')).status).toBe(403)
    broken.answer((_, response) => response.end())
    const [second, first] = dead.json
    expect((await root.client.post(`/admin/hook-deliveries/dead/${second.uuid}/requeue`)).status).toBe(204)
    expect((await root.client.post(`/admin/hook-deliveries/dead/${second.uuid}/requeue`)).status).toBe(404)
    await world.server.drain()
    expect(pushed(broken).slice(tries)).toEqual([`dead-2-${kind}`])
    const all = await root.client.post('/admin/hook-deliveries/dead/requeue')
    expect(all.json).toEqual({ requeued: 1 })
    await world.server.drain()
    expect(pushed(broken).slice(tries)).toEqual([`dead-2-${kind}`, `dead-1-${kind}`])
    expect((await root.client.get('/admin/hook-deliveries/dead')).json).toEqual([])
    const { json: entries } = await root.client.get('/admin/audit?action=hook.requeued')
    expect(entries.map(({ details }: { details: object }) => details)).toEqual([
      { count: 1 },
      { delivery: second.uuid, count: 1 },
    ])
    expect(await world.deliveries(hook.id)).toMatchObject([
      { uuid: second.uuid, state: 'delivered' },
      { uuid: first.uuid, state: 'delivered' },
    ])
  })

  it('are not given up because the clock is set forward, and do not wait because it is set back', async () => {
    const hook = await world.hook({ url: broken.url })
    await world.push(`clock-${kind}`)
    await world.server.drain()
    await later(48 * HOUR_MS)
    expect(broken.got).toHaveLength(2)
    expect(await statusOf(hook.id)).toBe('failed')
    broken.answer((_, response) => response.end())
    await later(-40 * HOUR_MS)
    expect(broken.got).toHaveLength(3)
    expect(await statusOf(hook.id)).toBe('delivered')
    world.clock.add(-8 * HOUR_MS)
  })

  it('to a server that repeatedly does not respond are paused, which is shown', async () => {
    const silent = broken.url.replace('/hook', '/silent')
    broken.answer(() => {})
    const hooks = []
    for (let n = 0; n < 6; n++) hooks.push(await world.hook({ url: silent }))
    const healthy = await world.hook({ url: other.url })
    await world.push(`silent-${kind}`)
    await world.server.drain()
    await later(10_000)
    const asked = broken.got.length
    const states = (await Promise.all(hooks.map(({ id }) => world.deliveries(id)))).map(([entry]) => entry.error)
    expect(states).toContainEqual(expect.stringMatching(/^timeout: .*; nothing is sent to http:\S+ before 20\d\d-/))
    expect(await Promise.all(hooks.map(({ id }) => statusOf(id)))).toContain('paused')
    expect((await world.root.client.get('/admin/hook-deliveries/queue')).json).toMatchObject({
      waiting: 6,
      failing_hosts: 1,
    })
    await later(15_000)
    expect(broken.got).toHaveLength(asked)
    await world.push(`meanwhile-${kind}`)
    await world.server.drain()
    expect(broken.got).toHaveLength(asked)
    expect(await statusOf(healthy.id)).toBe('delivered')
    broken.answer((_, response) => response.end())
    await later(20 * MINUTE_MS)
    await later(20 * MINUTE_MS)
    for (const { id } of hooks)
      expect(await world.deliveries(id)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
    expect((await world.root.client.get('/admin/hook-deliveries/queue')).json).toEqual({
      waiting: 0,
      dead: 0,
      oldest: null,
      failing_hooks: 0,
      failing_hosts: 0,
    })
  })

  it('are tried at once when the address is edited', async () => {
    const hook = await world.hook({ url: broken.url })
    await world.push(`edited-${kind}`)
    await world.server.drain()
    await world.ann.client.patch(`/repos/ann/r/hooks/${hook.id}`, { config: { url: other.url } })
    await world.server.drain()
    expect(pushed(other)).toEqual([`edited-${kind}`])
  })

  it('wait while the webhook is inactive', async () => {
    const hook = await world.hook({ url: broken.url })
    await world.push(`off-${kind}`)
    await world.server.drain()
    await world.ann.client.patch(`/repos/ann/r/hooks/${hook.id}`, { active: false })
    await later(HOUR_MS)
    expect(broken.got).toHaveLength(1)
    broken.answer((_, response) => response.end())
    await world.ann.client.patch(`/repos/ann/r/hooks/${hook.id}`, { active: true })
    await world.server.drain()
    expect(broken.got).toHaveLength(2)
  })

  it('end with their webhook, also while one is sent', async () => {
    const hook = await world.hook({ url: broken.url })
    broken.answer((_, response) => {
      void world.ann.client.delete(`/repos/ann/r/hooks/${hook.id}`).then(() => response.end())
    })
    await world.push(`deleted-1-${kind}`)
    await world.push(`deleted-2-${kind}`)
    await world.server.drain()
    await later(HOUR_MS)
    expect(pushed(broken)).toEqual([`deleted-1-${kind}`])
    const { read } = world.server.app.database
    const left = read.selectFrom('hook_delivery').select('id').where('hook_id', '=', hook.id)
    expect(await left.execute()).toEqual([])
  })

  it('continue after a transfer of their repository, and end with its deletion, except those of its owner', async () => {
    const { ann, server } = world
    const bob = await server.world.user(`bob${kind}`)
    await server.world.repo({ owner: ann, name: `moved${kind}`, autoInit: true })
    const path = `/repos/ann/moved${kind}`
    await world.hook({ path: `${path}/hooks`, url: `${broken.url}/repo` })
    const own = await world.hook({ path: '/user/hooks', url: `${other.url}/owner` })
    other.answer((_, response) => response.writeHead(503).end())
    await ann.client.post(`${path}/contents/x`, { content: 'eA==', message: 'x' })
    await server.drain()
    expect((await ann.client.post(`${path}/transfer`, { new_owner: bob.user.name })).status).toBe(201)
    expect((await bob.client.post(`${path}/transfer/accept`)).status).toBe(202)
    broken.answer((_, response) => response.end())
    other.answer((_, response) => response.end())
    await later(MINUTE_MS)
    expect(broken.got.map(({ path: at }) => at)).toEqual(['/hook/repo', '/hook/repo'])
    expect(other.got.map(({ path: at }) => at)).toEqual(['/hook/owner', '/hook/owner'])

    await server.world.repo({ owner: ann, name: `gone${kind}`, autoInit: true })
    await world.hook({ path: `/repos/ann/gone${kind}/hooks`, url: `${broken.url}/gone` })
    broken.answer((_, response) => response.writeHead(503).end())
    other.answer((_, response) => response.writeHead(503).end())
    await ann.client.post(`/repos/ann/gone${kind}/contents/x`, { content: 'eA==', message: 'x' })
    await server.drain()
    expect((await ann.client.delete(`/repos/ann/gone${kind}`)).status).toBe(204)
    broken.answer((_, response) => response.end())
    other.answer((_, response) => response.end())
    await later(MINUTE_MS)
    expect(broken.got.filter(({ path: at }) => at === '/hook/gone')).toHaveLength(1)
    expect(other.got).toHaveLength(4)
    await ann.client.delete(`/user/hooks/${own.id}`)
  })
})
