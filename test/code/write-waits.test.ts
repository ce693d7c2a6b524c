import { expect, it, vi } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { pullWorld } from '../pulls/pull-world.ts'

describeOnBoth('a write that waits for an earlier one', (on) => {
  const world = pullWorld({ on })

  it('is rejected if the access was removed during the wait', async () => {
    const { pushes } = world.server.app
    const push = pushes.push.bind(pushes)
    const [entered, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const spy = vi.spyOn(pushes, 'push').mockImplementation(async (...args) => {
      entered.resolve()
      await removed.promise
      return push(...args)
    })
    const write = (path: string) =>
      world.wes.client.post(`/repos/ann/app/contents/${path}`, { content: '', message: path, branch: 'main' })
    const first = write('first')
    await entered.promise
    const second = write('second')
    // The second write waits for the lock while later requests are answered.
    for (let index = 0; index < 8; index++) await world.wes.client.get('/repos/ann/app')
    expect((await world.ann.client.delete('/repos/ann/app/collaborators/wes')).status).toBe(204)
    removed.resolve()
    expect((await first).status).toBe(201)
    expect((await second).status).toBe(403)
    spy.mockRestore()
    expect((await world.ann.client.get('/repos/ann/app/contents/second')).status).toBe(404)
  })
})
