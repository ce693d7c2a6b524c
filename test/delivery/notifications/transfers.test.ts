import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'
import { threadsOf } from './notification-world.ts'

describeOnBoth('notifications of transfers', (on) => {
  let server: TestServer
  let ann: Person
  let bob: Person
  beforeAll(async () => {
    server = await startServer({ on })
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
  })
  afterAll(() => server.close())

  it('go to the recipient of a pending transfer', async () => {
    await server.world.repo({ owner: ann, name: 'gift', isPrivate: true })
    expect((await ann.client.post('/repos/ann/gift/transfer', { new_owner: 'bob' })).status).toBe(201)
    const { json } = await bob.client.get('/notifications')
    expect(json).toMatchObject([
      {
        repository: { full_name: 'ann/gift' },
        subject: {
          type: 'Repository',
          title: 'ann/gift',
          url: '/ann/gift',
          html_url: `${server.url}/ann/gift`,
          state: '',
          latest_comment_url: '',
        },
        unread: true,
      },
    ])
    await bob.client.post('/repos/ann/gift/transfer/reject')
    await bob.client.patch(`/notifications/threads/${json[0].id}`)
    expect((await ann.client.post('/repos/ann/gift/transfer', { new_owner: 'bob' })).status).toBe(201)
    expect((await bob.client.get('/notifications')).json).toMatchObject([{ id: json[0].id, unread: true }])
    await bob.client.post('/repos/ann/gift/transfer/accept')
    expect((await bob.client.get('/notifications?subject-type=repository')).json).toMatchObject([
      { repository: { full_name: 'bob/gift' }, subject: { title: 'bob/gift' } },
    ])
  })

  it('go to members of an organization who may accept it', async () => {
    const guild = await server.world.org('guild', { owner: bob })
    const [cat, dan] = [await server.world.user('cat'), await server.world.user('dan')]
    await guild.team('creators', { members: [cat], canCreateOrgRepo: true })
    await guild.team('readers', { members: [dan] })
    await server.world.repo({ owner: ann, name: 'tool', isPrivate: true })
    expect((await ann.client.post('/repos/ann/tool/transfer', { new_owner: 'guild' })).status).toBe(201)
    expect(await threadsOf(cat)).toEqual(['ann/tool unread'])
    expect((await threadsOf(bob))[0]).toBe('ann/tool unread')
    expect(await threadsOf(dan)).toEqual([])
    expect(await threadsOf(ann)).toEqual([])
    expect((await cat.client.get('/notifications')).json[0].repository).toBeNull()
    expect((await cat.client.post('/repos/ann/tool/transfer/reject')).status).toBe(200)
    expect(await threadsOf(cat)).toEqual([' unread'])
  })
})
