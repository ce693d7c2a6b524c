import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { type Receiver, startReceiver } from '../../harness/receiver.ts'
import type { Person } from '../../harness/world.ts'
import { createHookWorld, type HookWorld } from './hook-world.ts'

const HOOKS = 6
const PATIENCE = { timeout: 20_000 }

describeOnBoth('receivers of one account that are slow', (kind) => {
  let world: HookWorld
  let bob: Person
  let slow: readonly Receiver[]
  const held: ServerResponse[] = []

  beforeAll(async () => {
    world = await createHookWorld({
      on: kind,
      settings: { 'webhook.deliver_timeout': '60' },
      tuning: { hooks: { inFlight: 4, inFlightPerHost: 4, perOwner: HOOKS } },
    })
    world.server.app.background.start()
    bob = await world.server.world.user('bob')
    await world.server.world.repo({ owner: bob, name: 'r', autoInit: true })
    slow = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
    for (const receiver of slow)
      receiver.answer(({ path }, response) => void (path === '/hook/bob' ? response.end() : held.push(response)))
  })
  afterAll(async () => {
    await world.close()
    await Promise.all(slow.map((receiver) => receiver.close()))
  })

  const requestsOf = (path: string): number =>
    slow.flatMap(({ got }) => got).filter((request) => request.path === path).length
  const release = (): void => held.splice(0).forEach((response) => response.end())

  it.each([
    ['at one server', 1],
    ['at several servers', 3],
  ])('use half of the slots, so that others get theirs: %s', async (title, servers) => {
    const before = requestsOf('/hook/ann')
    const hooks = []
    for (let index = 0; index < HOOKS; index++)
      hooks.push(await world.hook({ url: `${slow[index % servers]!.url}/ann` }))
    await world.push(title)
    await expect.poll(() => held.length, PATIENCE).toBe(2)
    const config = { url: `${slow[0]!.url}/bob`, content_type: 'json' }
    const hook = await bob.client.post('/repos/bob/r/hooks', { type: 'gitea', active: true, config })
    const sent = requestsOf('/hook/bob')
    await bob.client.post(`/repos/bob/r/contents/${encodeURIComponent(title)}`, { content: 'eA==', message: title })
    await expect.poll(() => requestsOf('/hook/bob'), PATIENCE).toBe(sent + 1)
    expect(held).toHaveLength(2)
    await expect
      .poll(() => {
        release()
        return requestsOf('/hook/ann') - before
      }, PATIENCE)
      .toBe(HOOKS)
    release()
    for (const { id } of hooks) await world.ann.client.delete(`/repos/ann/r/hooks/${id}`)
    await bob.client.delete(`/repos/bob/r/hooks/${hook.json.id}`)
  })

  it('do not exceed the configured number', async () => {
    const make = (path: string): ReturnType<typeof bob.client.post> =>
      bob.client.post(path, { type: 'gitea', config: { url: world.receiver.url, content_type: 'json' } })
    for (let index = 0; index < HOOKS; index++) expect((await make('/user/hooks')).status).toBe(201)
    const refused = await make('/user/hooks')
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(`no more than ${HOOKS} webhooks`)])
    expect((await make('/repos/bob/r/hooks')).status).toBe(201)
  })
})
