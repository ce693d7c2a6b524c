import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, pullWorld } from '../../pulls/pull-world.ts'

describeOnBoth('notifications of pull requests', (kind) => {
  const world = pullWorld({ on: kind })
  const threads = async (): Promise<Any[]> => (await world.ann.client.get('/notifications')).json

  it('go to watchers when one is opened and when its head changes', async () => {
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

  it('go to requested reviewers, and to followers when a review is submitted', async () => {
    await commitFile(world.ann, { branch: 'asked', from: 'main' })
    const { number } = await createPull(world.ann, { head: 'asked', title: 'Asked' })
    const titles = async (client = world.wes.client): Promise<string[]> =>
      ((await client.get('/notifications')).json as Any[]).map(({ subject }) => subject.title)
    await world.wes.client.put('/notifications')
    await world.ann.client.put('/notifications')
    const path = `/repos/ann/app/pulls/${number}`
    expect((await world.ann.client.post(`${path}/requested_reviewers`, { reviewers: ['wes'] })).status).toBe(201)
    expect(await titles()).toEqual(['Asked'])
    expect(await titles(world.ann.client)).toEqual([])
    expect((await world.wes.client.post(`${path}/reviews`, { event: 'APPROVED' })).status).toBe(200)
    expect(await titles(world.ann.client)).toEqual(['Asked'])
  })

  it('go to watchers of a draft when it becomes ready, and to its participants before', async () => {
    await commitFile(world.wes, { branch: 'draft', from: 'main' })
    await world.ann.client.put('/notifications')
    await world.wes.client.put('/notifications')
    const { number } = await createPull(world.wes, { head: 'draft', title: 'WIP: Draft' })
    const path = `/repos/ann/app/issues/${number}`
    await world.eve.client.post(`${path}/comments`, { body: 'when?' })
    const titles = async (person = world.ann): Promise<string[]> =>
      ((await person.client.get('/notifications')).json as Any[]).map(({ subject }) => subject.title)
    expect([await titles(), await titles(world.wes)]).toEqual([[], ['WIP: Draft']])
    await world.wes.client.patch(path, { title: '[WIP] Draft' })
    expect(await titles()).toEqual([])
    await world.wes.client.patch(path, { title: 'Draft' })
    expect([await titles(), await titles(world.eve)]).toEqual([['Draft'], ['Draft']])
    await world.ann.client.put('/notifications')
    await world.wes.client.patch(path, { title: 'No draft' })
    expect(await titles()).toEqual([])
  })
})
