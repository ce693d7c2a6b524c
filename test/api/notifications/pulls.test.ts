import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, pullWorld } from '../pulls/pull-world.ts'

describeOnBoth('notifications of pull requests', (kind) => {
  const world = pullWorld({ on: kind })
  const threads = async (): Promise<Any[]> => (await world.ann.client.get('/notifications')).json

  it('come to watchers when one is opened and when its head moves', async () => {
    await commitFile(world.wes, { branch: 'noticed', from: 'main' })
    const { number } = await createPull(world.wes, { head: 'noticed', title: 'Noticed' })
    expect(await threads()).toMatchObject([
      {
        unread: true,
        subject: { type: 'Pull', title: 'Noticed', state: 'open', html_url: expect.stringMatching(/\/pulls\/\d+$/) },
      },
    ])
    await world.ann.client.put('/notifications')
    expect(await threads()).toEqual([])
    await commitFile(world.wes, { branch: 'noticed', path: 'more.txt' })
    await world.server.drain()
    expect(await threads()).toMatchObject([{ subject: { url: expect.stringMatching(`/issues/${number}$`) } }])
  })
})
