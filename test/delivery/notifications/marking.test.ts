import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { createIssue, issueWorld } from '../../issues/issue-world.ts'
import { markAll, rawRequest, threadAbout, threadsOf } from './notification-world.ts'

describeOnBoth('marking and listing notifications', (on) => {
  const given = issueWorld({ on })
  const raw = (method: string, path: string, by = given.ann) => rawRequest(given.server.url, method, path, by)

  it('responds with 205 and the changed threads', async () => {
    await createIssue(given.bob, { title: 'One' })
    await createIssue(given.bob, { title: 'Two' })
    const { id } = await threadAbout(given.ann, 'One')
    const one = await raw('PATCH', `/notifications/threads/${id}`)
    expect(one).toMatchObject({ status: 205, type: 'application/json;charset=utf-8', json: { id, unread: false } })
    const rest = await raw('PUT', '/notifications')
    expect(rest.status).toBe(205)
    expect(rest.json).toMatchObject([{ subject: { title: 'Two' }, unread: false, repository: { permissions: null } }])
    expect((await raw('PUT', '/notifications')).json).toEqual([])
    expect((await given.ann.client.get('/notifications/new')).json).toEqual({ new: 0 })
  })

  it('changes threads with the requested statuses, and unread ones by default', async () => {
    expect(await threadsOf(given.ann)).toEqual(['Two read', 'One read'])
    expect((await raw('PUT', '/notifications?to-status=pinned')).json).toEqual([])
    expect((await raw('PUT', '/notifications?status-types=read&to-status=pinned')).json).toHaveLength(2)
    expect((await raw('PUT', '/notifications?all=true&to-status=unread')).json).toHaveLength(2)
    expect((await raw('PUT', '/notifications?to-status=odd')).json).toMatchObject([
      { unread: false },
      { unread: false },
    ])
    const { id } = await threadAbout(given.ann, 'One')
    await raw('PATCH', `/notifications/threads/${id}?to-status=pinned`)
    expect(await threadsOf(given.ann, '')).toEqual(['One pinned'])
    expect(await threadsOf(given.ann, '?status-types=read')).toEqual(['Two read'])
    expect(await threadsOf(given.ann, '?status-types=read&status-types=pinned')).toEqual(['Two read', 'One pinned'])
    expect(await threadsOf(given.ann, '?status-types=odd')).toEqual(['Two read', 'One pinned'])
    await raw('PUT', '/notifications?status-types=pinned&to-status=read')
  })

  it('changes threads up to a time', async () => {
    await raw('PUT', '/notifications?all=true&to-status=unread')
    expect((await raw('PUT', '/notifications?last_read_at=2001-01-01T00:00:00Z')).json).toEqual([])
    expect((await raw('PUT', '/notifications?last_read_at=2099-01-01T00:00:00Z')).json).toHaveLength(2)
    const refused = await raw('PUT', '/notifications?last_read_at=rubbish')
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('last_read_at')])
    expect(await threadsOf(given.ann, '?all=true&since=2099-01-01T00:00:00Z')).toEqual([])
    expect(await threadsOf(given.ann, '?all=true&before=2001-01-01T00:00:00Z')).toEqual([])
    expect((await given.ann.client.get('/notifications?since=never')).status).toBe(422)
    const { updated_at: at } = await threadAbout(given.ann, 'Two')
    expect(await threadsOf(given.ann, `?all=true&since=${at}&before=${at}`)).toContain('Two read')
  })

  it('lists pages and kinds', async () => {
    const page = await given.ann.client.get('/notifications?all=true&limit=1&page=2')
    expect(page.json).toMatchObject([{ subject: { title: 'One' } }])
    expect([page.headers.get('x-total-count'), page.headers.get('link')]).toEqual([
      '2',
      expect.stringContaining('prev'),
    ])
    expect(await threadsOf(given.ann, '?all=true&subject-type=pull')).toEqual([])
    expect(await threadsOf(given.ann, '?all=true&subject-type=commit')).toEqual([])
    expect(await threadsOf(given.ann, '?all=true&subject-type=pull&subject-type=ISSUE')).toHaveLength(2)
    expect(await threadsOf(given.ann, '?all=true&subject-type=odd')).toHaveLength(2)
  })

  it('of one repository does not change the others', async () => {
    await given.wes.client.put('/repos/ann/desk/subscription')
    await given.server.world.repo({ owner: given.bob, name: 'other' })
    await given.wes.client.put('/repos/bob/other/subscription')
    await createIssue(given.ann, { title: 'Here' })
    await createIssue(given.ann, { title: 'There' }, 'bob/other')
    const listed = await given.wes.client.get('/repos/ann/desk/notifications')
    expect(listed.json).toMatchObject([{ subject: { title: 'Here' } }])
    expect(listed.headers.get('x-total-count')).toBe('1')
    expect((await raw('PUT', '/repos/ann/desk/notifications', given.wes)).json).toMatchObject([
      { subject: { title: 'Here' } },
    ])
    expect(await threadsOf(given.wes)).toEqual(['There unread', 'Here read'])
    expect((await given.server.anonymous.get('/repos/ann/desk/notifications')).status).toBe(401)
    expect((await given.wes.client.get('/repos/ann/vault/notifications')).status).toBe(404)
    expect((await given.wes.client.put('/repos/ann/vault/notifications')).status).toBe(404)
  })

  it('is for the user itself; site administrators may read', async () => {
    const { id } = await threadAbout(given.ann, 'One')
    const root = await given.server.world.admin(`root-${on}`)
    const refused = await given.bob.client.get(`/notifications/threads/${id}`)
    expect([refused.status, refused.json.message]).toEqual([
      403,
      `only user itself and admin are allowed to read/change this thread ${id}`,
    ])
    expect((await given.bob.client.patch(`/notifications/threads/${id}`)).status).toBe(403)
    expect((await root.client.get(`/notifications/threads/${id}`)).status).toBe(200)
    expect((await root.client.patch(`/notifications/threads/${id}`)).status).toBe(403)
    expect((await root.client.get('/notifications/threads/99999999')).status).toBe(404)
    expect((await given.server.anonymous.get(`/notifications/threads/${id}`)).status).toBe(401)
  })

  it('requires the scope notification, and respects the restrictions of the token', async () => {
    expect((await (await given.ann.withToken('write:issue', 'write:repository')).get('/notifications')).status).toBe(
      403,
    )
    const reader = await given.ann.withToken('read:notification')
    expect((await reader.get('/notifications?all=true')).json).toHaveLength(2)
    expect((await reader.put('/notifications')).status).toBe(403)
    await given.ann.client.put('/repos/ann/vault/collaborators/wes', { permission: 'read' })
    await createIssue(given.wes, { title: 'Inside' }, 'ann/vault')
    const { id } = await threadAbout(given.ann, 'Inside')
    const openly = await given.ann.withToken('public-only', 'write:notification')
    const { json, headers } = await openly.get('/notifications?all=true')
    expect([json.length, headers.get('x-total-count')]).toEqual([2, '2'])
    expect((await openly.get('/notifications/new')).json).toEqual({ new: 0 })
    expect((await openly.get(`/notifications/threads/${id}`)).status).toBe(404)
    await openly.put('/notifications')
    expect((await given.ann.client.get('/notifications/new')).json).toEqual({ new: 1 })
    await markAll(given.ann)
  })
})
