import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { createIssue, issueWorld } from '../../issues/issue-world.ts'
import { markAll, threadAbout, threadsOf } from './notification-world.ts'

describeOnBoth('notification threads', (on) => {
  const given = issueWorld({ on })

  it('inform a watcher of the repository about a new issue, but not its author', async () => {
    const issue = await createIssue(given.bob, { title: 'Rings' })
    const { json, headers } = await given.ann.client.get('/notifications')
    expect(headers.get('x-total-count')).toBe('1')
    expect(json).toEqual([
      {
        id: expect.any(Number),
        repository: expect.objectContaining({ full_name: 'ann/desk', permissions: null }),
        subject: {
          title: 'Rings',
          type: 'Issue',
          state: 'open',
          url: issue.url,
          html_url: issue.html_url,
          latest_comment_url: '',
          latest_comment_html_url: '',
        },
        unread: true,
        pinned: false,
        updated_at: expect.any(String),
        url: `${given.server.url}/api/v1/notifications/threads/${json[0].id}`,
      },
    ])
    expect((await given.ann.client.get(json[0].url.slice(`${given.server.url}/api/v1`.length))).json).toEqual(json[0])
    expect((await given.ann.client.get('/notifications/new')).json).toEqual({ new: 1 })
    expect(await threadsOf(given.bob)).toEqual([])
    expect((await given.server.anonymous.get('/notifications')).status).toBe(401)
    await markAll(given.ann)
  })

  it('of an issue that is closed or reopened become unread again, and pinned ones remain pinned', async () => {
    const { number } = await createIssue(given.bob, { title: 'Opens and closes' })
    const path = `/repos/ann/desk/issues/${number}`
    await given.ann.client.patch(path, { state: 'closed' })
    expect(await threadsOf(given.bob)).toEqual(['Opens and closes unread'])
    const first = await threadAbout(given.bob, 'Opens and closes')
    expect(first.subject.state).toBe('closed')
    await given.bob.client.patch(`/notifications/threads/${first.id}`)
    expect(await threadsOf(given.bob)).toEqual(['Opens and closes read'])
    await given.ann.client.patch(path, { state: 'open' })
    expect(await threadAbout(given.bob, 'Opens and closes')).toMatchObject({ id: first.id, unread: true })
    await given.bob.client.patch(`/notifications/threads/${first.id}?to-status=pinned`)
    await given.ann.client.patch(path, { state: 'closed' })
    expect(await threadsOf(given.bob)).toEqual(['Opens and closes pinned'])
    await markAll(given.ann)
    await markAll(given.bob)
  })

  it('are not caused by changes of labels, title, body, milestone, due date or removal of an assignee', async () => {
    const { number } = await createIssue(given.bob, { title: 'Edited', body: 'x' })
    const path = `/repos/ann/desk/issues/${number}`
    await given.ann.client.patch(path, { assignees: ['bob'] })
    await markAll(given.bob)
    await given.ann.client.patch(path, { title: 'Edited twice', body: 'y', due_date: '2031-01-01T00:00:00Z' })
    await given.ann.client.patch(path, { assignees: [] })
    expect(await threadsOf(given.bob, '')).toEqual([])
    await markAll(given.ann)
  })

  it('inform new assignees, except users who assign themselves', async () => {
    const { number } = await createIssue(given.ann, { title: 'Assigned' })
    expect(await threadsOf(given.wes)).toEqual([])
    await given.wes.client.patch(`/repos/ann/desk/issues/${number}`, { assignees: ['wes'] })
    expect(await threadsOf(given.wes)).toEqual([])
    await given.ann.client.patch(`/repos/ann/desk/issues/${number}`, { assignees: ['wes', 'bob'] })
    expect(await threadsOf(given.wes)).toEqual([])
    expect(await threadsOf(given.bob, '')).toEqual(['Assigned unread'])
    await markAll(given.bob)
  })

  it('are for those who subscribed to the issue, and not for those who unsubscribed', async () => {
    const { number } = await createIssue(given.bob, { title: 'Chosen' })
    const path = `/repos/ann/desk/issues/${number}`
    await markAll(given.ann)
    await given.wes.client.put(`${path}/subscriptions/wes`)
    await given.ann.client.delete(`${path}/subscriptions/ann`)
    await given.bob.client.patch(path, { state: 'closed' })
    expect(await threadsOf(given.wes, '')).toEqual(['Chosen unread'])
    expect(await threadsOf(given.ann, '')).toEqual([])
    await markAll(given.wes)
  })

  it('are only for readers of the unit', async () => {
    const { world } = given.server
    const [guild, eve, dan] = [
      await world.org(`guild-${on}`, { owner: given.ann }),
      await world.user(`eve-${on}`),
      await world.user(`dan-${on}`),
    ]
    const repo = await world.repo({ owner: guild.org, by: given.ann, name: 'shop', isPrivate: true })
    const readers = { units: ['repo.issues' as const], members: [eve], repos: [repo] }
    await guild.team('issues', readers)
    await guild.team('coders', { units: ['repo.code'], members: [dan], repos: [repo] })
    for (const person of [eve, dan])
      expect((await person.client.put(`/repos/guild-${on}/shop/subscription`)).status).toBe(200)
    await createIssue(given.ann, { title: 'For readers' }, `guild-${on}/shop`)
    expect(await threadsOf(eve)).toEqual(['For readers unread'])
    expect(await threadsOf(dan)).toEqual([])
  })

  it('show nothing of a repository that the user may no longer see', async () => {
    await given.ann.client.put('/repos/ann/vault/collaborators/wes', { permission: 'read' })
    await given.wes.client.put('/repos/ann/vault/subscription')
    await createIssue(given.ann, { title: 'Confidential' }, 'ann/vault')
    expect(await threadsOf(given.wes, '')).toEqual(['Confidential unread'])
    await given.ann.client.delete('/repos/ann/vault/collaborators/wes')
    const [thread] = (await given.wes.client.get('/notifications')).json
    expect(thread.repository).toBeNull()
    expect(thread.subject).toMatchObject({ type: 'Issue', title: '', url: '', html_url: '', state: '' })
    await createIssue(given.ann, { title: 'More' }, 'ann/vault')
    expect((await given.wes.client.get('/notifications')).json).toHaveLength(1)
    await markAll(given.wes)
  })

  it('move with an issue that is transferred to another repository', async () => {
    const { number } = await createIssue(given.ann, { title: 'Moves' })
    await given.ann.client.patch(`/repos/ann/desk/issues/${number}`, { assignees: ['bob'] })
    const moved = await given.ann.client.post(`/repos/ann/desk/issues/${number}/transfer`, { repo: 'vault' })
    expect(moved.status).toBe(201)
    expect((await threadAbout(given.bob, '')).repository).toBeNull()
    await given.ann.client.put('/repos/ann/vault/collaborators/bob', { permission: 'read' })
    const listed = await given.bob.client.get('/repos/ann/vault/notifications')
    expect(listed.json).toMatchObject([{ subject: { title: 'Moves' }, repository: { full_name: 'ann/vault' } }])
    await given.ann.client.delete('/repos/ann/vault/collaborators/bob')
    await markAll(given.bob)
  })

  it('are deleted with the issue, the repository and the user', async () => {
    const fay = await given.server.world.user(`fay-${on}`)
    await given.server.world.repo({ owner: fay, name: 'gone' })
    await given.bob.client.put(`/repos/${fay.name}/gone/subscription`)
    const { number } = await createIssue(fay, { title: 'First' }, `${fay.name}/gone`)
    await createIssue(fay, { title: 'Second' }, `${fay.name}/gone`)
    expect(await threadsOf(given.bob, '')).toEqual(['Second unread', 'First unread'])
    await fay.client.delete(`/repos/${fay.name}/gone/issues/${number}`)
    expect(await threadsOf(given.bob, '')).toEqual(['Second unread'])
    await fay.client.delete(`/repos/${fay.name}/gone`)
    expect(await threadsOf(given.bob, '')).toEqual([])
    const root = await given.server.world.admin(`root-${on}`)
    const { id } = await threadAbout(given.ann, 'Rings')
    expect((await root.client.get(`/notifications/threads/${id}`)).status).toBe(200)
    const { number: last } = await createIssue(given.ann, { title: 'Of a user' })
    await given.ann.client.patch(`/repos/ann/desk/issues/${last}`, { assignees: [fay.name] })
    const ofFay = (await threadAbout(fay, 'Of a user')).id
    expect((await root.client.delete(`/admin/users/${fay.name}`)).status).toBe(204)
    expect((await root.client.get(`/notifications/threads/${ofFay}`)).status).toBe(404)
  })
})
