import { describe, expect, it } from 'vitest'
import { expectEvents, lastEventId } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describe('creating issues', () => {
  const given = issueWorld()

  it('returns every member of the model', async () => {
    const { ann, server } = given
    const issue = await createIssue(ann, { title: '  First  ', body: 'One\n\nTwo' })
    const web = `${server.url}/ann/desk`
    expect(issue).toMatchObject({
      number: 1,
      title: 'First',
      body: 'One\n\nTwo',
      url: `${server.url}/api/v1/repos/ann/desk/issues/1`,
      html_url: `${web}/issues/1`,
      original_author: '',
      original_author_id: 0,
      ref: '',
      assets: [],
      labels: [],
      milestone: null,
      assignee: null,
      assignees: null,
      state: 'open',
      is_locked: false,
      comments: 0,
      closed_at: null,
      due_date: null,
      pull_request: null,
      repository: { id: expect.any(Number), name: 'desk', owner: 'ann', full_name: 'ann/desk' },
      pin_order: 0,
      content_version: 0,
      time_estimate: 0,
    })
    expect(issue.user.login).toBe('ann')
    expect((await ann.client.get('/repos/ann/desk/issues/1')).json).toEqual(issue)
  })

  it('accepts labels, assignees, milestone and deadline only from writers', async () => {
    const { ann, bob } = given
    const label = (await ann.client.post('/repos/ann/desk/labels', { name: 'bug', color: '#f00' })).json
    const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: 'v1' })).json
    const input = {
      body: 'b',
      ref: 'refs/heads/dev',
      assignee: 'wes',
      assignees: ['ann', 'wes'],
      labels: [label.id, 999_999],
      milestone: milestone.id,
      due_date: '2031-02-03T04:05:06Z',
    }
    const written = await createIssue(ann, input)
    expect(written.assignees.map((user: { login: string }) => user.login)).toEqual(['wes', 'ann'])
    expect(written.assignee.login).toBe('wes')
    expect(written.labels).toEqual([label])
    expect(written.milestone).toMatchObject({ id: milestone.id, open_issues: 1, closed_issues: 0 })
    expect(written.due_date).toBe('2031-02-03T04:05:06Z')
    const read = await createIssue(bob, input)
    expect(read).toMatchObject({ assignees: null, labels: [], milestone: null, due_date: null, ref: 'refs/heads/dev' })
  })

  it('counts issues of the repository and of milestones', async () => {
    const { ann } = given
    const before = (await ann.client.get('/repos/ann/desk')).json.open_issues_count
    await createIssue(ann)
    const closed = await createIssue(ann, { closed: true })
    expect(closed).toMatchObject({ state: 'closed', closed_at: expect.any(String) })
    expect((await ann.client.get('/repos/ann/desk')).json.open_issues_count).toBe(before + 1)
  })

  it('rejects invalid titles and assignees, by field', async () => {
    const { ann, server } = given
    const create = (body: object) => ann.client.post('/repos/ann/desk/issues', body)
    expect((await create({ body: 'x' })).json.message).toBe('[Title]: Required')
    expect((await create({ title: '   ' })).json.message).toBe('[Title]: Required')
    expect((await create({ title: 7 })).status).toBe(422)
    expect((await create({ title: 'x', assignees: ['missing'] })).json.message).toBe(
      'Assignee does not exist: [name: user does not exist [uid: 0, name: missing]]',
    )
    expect((await create({ title: 'x', labels: ['bug'] })).status).toBe(422)
    expect((await create({ title: 'x', due_date: 'soon' })).status).toBe(422)
    expect((await create({ title: 'x', body: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413)
    expect((await server.anonymous.post('/repos/ann/desk/issues', { title: 'x' })).status).toBe(401)
    expect((await given.bob.client.post('/repos/ann/vault/issues', { title: 'x' })).status).toBe(404)
    expect((await create({ title: 'ä'.repeat(200) })).json.title).toBe(`${'ä'.repeat(126)}…`)
  })
})

describe('editing issues', () => {
  const given = issueWorld()
  const edit = (person: typeof given.ann, number: number, body: object) =>
    person.client.patch(`/repos/ann/desk/issues/${number}`, body)

  it('changes only the given members', async () => {
    const { ann, server } = given
    const issue = await createIssue(ann, { body: 'old' })
    const mark = await lastEventId(server)
    const unchanged = await edit(ann, issue.number, {})
    expect([unchanged.status, unchanged.json]).toEqual([201, issue])
    const renamed = await edit(ann, issue.number, { title: 'New', body: 'new' })
    expect(renamed.json).toMatchObject({ title: 'New', body: 'new', content_version: 1 })
    const cleared = await edit(ann, issue.number, { title: '', body: '', ref: 'refs/heads/main' })
    expect(cleared.json).toMatchObject({ title: 'New', body: '', ref: 'refs/heads/main', content_version: 2 })
    expect((await edit(ann, issue.number, { title: 'Late', content_version: 1 })).status).toBe(409)
    const of = { issue_id: issue.id }
    await expectEvents(server, { after: mark }, [
      ['issue.edited', { ...of, old_title: 'An issue', old_body: 'old' }],
      ['issue.edited', { ...of, old_body: 'new' }],
    ])
  })

  it('replaces assignees, milestone and deadline', async () => {
    const { ann } = given
    const { number } = await createIssue(ann)
    const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: 'v2' })).json
    const logins = async (body: object) =>
      (await edit(ann, number, body)).json.assignees?.map((user: { login: string }) => user.login)
    expect(await logins({ assignee: 'bob' })).toEqual(['bob'])
    expect(await logins({ assignees: ['ann', 'wes'] })).toEqual(['ann', 'wes'])
    expect(await logins({ assignees: [] })).toBeUndefined()
    expect((await edit(ann, number, { assignees: ['missing'] })).status).toBe(422)
    expect((await edit(ann, number, { milestone: milestone.id })).json.milestone.open_issues).toBe(1)
    expect((await edit(ann, number, { title: 'Kept', milestone: 999_999 })).status).toBe(422)
    expect((await edit(ann, number, { milestone: 0 })).json).toMatchObject({ milestone: null, title: 'An issue' })
    const due = await edit(ann, number, { due_date: '2032-05-06T07:08:09+02:00' })
    expect(due.json.due_date).toBe('2032-05-06T21:59:59Z')
    expect((await edit(ann, number, { unset_due_date: false })).status).toBe(400)
    expect((await edit(ann, number, { unset_due_date: true })).json.due_date).toBeNull()
    await edit(ann, number, { due_date: '2032-05-06T07:08:09Z' })
    expect((await edit(ann, number, { due_date: '0001-01-01T00:00:00Z' })).json.due_date).toBeNull()
  })

  it('closes and reopens, with the counters of repository and milestone', async () => {
    const { ann } = given
    const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: 'v3' })).json
    const { number } = await createIssue(ann, { milestone: milestone.id })
    const open = async () => (await ann.client.get('/repos/ann/desk')).json.open_issues_count
    const before = await open()
    const closed = await edit(ann, number, { state: 'closed' })
    expect(closed.json).toMatchObject({ state: 'closed', closed_at: expect.any(String) })
    expect(closed.json.milestone).toMatchObject({ open_issues: 0, closed_issues: 1 })
    expect((await edit(ann, number, { state: 'closed' })).status).toBe(201)
    expect(await open()).toBe(before - 1)
    const reopened = await edit(ann, number, { state: 'open' })
    expect(reopened.json).toMatchObject({ state: 'open', closed_at: null })
    expect(reopened.json.milestone).toMatchObject({ open_issues: 1, closed_issues: 0 })
    expect((await edit(ann, number, { state: 'halfway' })).status).toBe(412)
    await edit(ann, number, { milestone: 0 })
    expect((await ann.client.get(`/repos/ann/desk/milestones/${milestone.id}`)).json.open_issues).toBe(0)
  })

  it('is allowed to the author and writers; only writers set labels, milestone and assignees', async () => {
    const { ann, bob, wes } = given
    const own = await createIssue(bob)
    const other = await createIssue(ann)
    const planned = { title: 'Retitled', state: 'closed', assignees: ['ann'], due_date: '2030-01-01T00:00:00Z' }
    expect((await edit(bob, own.number, planned)).json).toMatchObject({
      title: 'Retitled',
      state: 'closed',
      assignees: null,
      due_date: null,
    })
    const refused = await edit(bob, other.number, { state: 'closed' })
    expect(refused.status).toBe(403)
    expect((await edit(wes, other.number, planned)).json.assignee.login).toBe('ann')
    expect((await given.server.anonymous.patch(`/repos/ann/desk/issues/${own.number}`, {})).status).toBe(401)
    expect((await edit(ann, 999, {})).status).toBe(404)
  })

  it('accepts a time from administrators, between creation and now', async () => {
    const { ann, wes } = given
    const issue = await createIssue(ann)
    const at = issue.created_at
    expect((await edit(ann, issue.number, { updated_at: '2001-01-01T00:00:00Z' })).json.message).toBe(
      'unallowed update date',
    )
    expect((await edit(ann, issue.number, { updated_at: '2999-01-01T00:00:00Z' })).status).toBe(403)
    const refused = await edit(wes, issue.number, { title: 'No', updated_at: at })
    expect([refused.status, refused.json.message]).toEqual([403, 'user needs to have admin or owner right'])
    expect((await edit(ann, issue.number, { updated_at: 'yesterday' })).status).toBe(422)
    const closed = await edit(ann, issue.number, { state: 'closed', updated_at: at })
    expect(closed.json).toMatchObject({ updated_at: at, closed_at: at, title: 'An issue' })
  })

  it('sets the deadline to the end of the day through its own endpoint', async () => {
    const { ann, bob } = given
    const { number } = await createIssue(bob)
    const path = `/repos/ann/desk/issues/${number}/deadline`
    const set = await ann.client.post(path, { due_date: '2031-02-03T04:05:06Z' })
    expect([set.status, set.json]).toEqual([201, { due_date: '2031-02-03T23:59:59Z' }])
    expect((await bob.client.post(path, { due_date: null })).json.message).toBe('Not repo writer')
    const unset = await ann.client.post(path, { due_date: null })
    expect([unset.status, unset.json]).toEqual([201, { due_date: '0001-01-01T00:00:00Z' }])
  })
})

describe('deleting issues', () => {
  const given = issueWorld()

  it('is allowed to administrators, never reuses the number and corrects counters', async () => {
    const { ann, wes } = given
    const label = (await ann.client.post('/repos/ann/desk/labels', { name: 'x', color: '#123' })).json
    const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: 'm' })).json
    const { number } = await createIssue(ann, { labels: [label.id], milestone: milestone.id })
    const path = `/repos/ann/desk/issues/${number}`
    expect((await wes.client.delete(path)).status).toBe(403)
    expect((await ann.client.delete(path)).status).toBe(204)
    expect((await ann.client.get(path)).status).toBe(404)
    expect((await ann.client.delete(path)).status).toBe(404)
    expect((await ann.client.get(`/repos/ann/desk/milestones/${milestone.id}`)).json.open_issues).toBe(0)
    expect((await ann.client.get('/repos/ann/desk')).json.open_issues_count).toBe(0)
    expect((await createIssue(ann)).number).toBe(number + 1)
  })
})
