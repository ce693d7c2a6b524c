import { expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { expectEvents, lastEventId, row, rows } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

describeOnBoth('an issue that is created with all that it may have', (on) => {
  const given = issueWorld({ on })

  const ids = (answer: { readonly json: Any }): number => answer.json.id
  const makeLabel = async (name: string, options: object = {}): Promise<number> =>
    ids(await given.ann.client.post('/repos/ann/desk/labels', { name, color: '#123456', ...options }))
  const makeMilestone = async (title: string): Promise<number> =>
    ids(await given.ann.client.post('/repos/ann/desk/milestones', { title }))

  it('creates entries, events, threads and counters in a fixed order, and returns the stored issue', async () => {
    const { server, ann, wes } = given
    const { client } = ann
    const labels = [await makeLabel('b'), await makeLabel('a')]
    const milestone = await makeMilestone('v1')
    const other = await createIssue(wes, { title: 'Other' })
    const mark = await lastEventId(server)
    const [wesId, bobId] = [
      (await row(server, 'user', { name: 'wes' })).id,
      (await row(server, 'user', { name: 'bob' })).id,
    ]
    const counts = await row(server, 'repo', { lower_name: 'desk' })
    const issue = await createIssue(ann, {
      title: 'Whole',
      body: `For @bob, see #${other.number}`,
      labels,
      milestone,
      assignees: ['wes', 'ann'],
      closed: true,
      due_date: '2030-01-02T00:00:00Z',
    })
    expect(issue).toMatchObject({
      state: 'closed',
      closed_at: issue.created_at,
      updated_at: issue.created_at,
      labels: [{ name: 'a' }, { name: 'b' }],
      milestone: { title: 'v1', open_issues: 0, closed_issues: 1 },
      assignees: [{ login: 'wes' }, { login: 'ann' }],
      user: { login: 'ann' },
      assets: [],
    })
    expect((await client.get(`/repos/ann/desk/issues/${issue.number}`)).json).toEqual(issue)

    const annId = issue.user.id
    await expectEvents(server, { after: mark }, [
      ['issue.created', { issue_id: issue.id, title: 'Whole' }],
      ['issue.mentioned', { issue_id: issue.id, user_ids: [bobId] }],
      ['issue.labels_changed', { is_cleared: false, added_ids: [labels[1]!, labels[0]!], removed_ids: [] }],
      ['issue.milestone_changed', { old_id: 0, new_id: milestone }],
      ['issue.assigned', { user_id: wesId }],
      ['issue.assigned', { user_id: annId }],
      ['issue.closed', { issue_id: issue.id }],
    ])
    const entries = await rows(server, 'timeline_entry', { issue_id: issue.id })
    expect(entries.map(({ kind, target_id: target, body, payload }) => [kind, target, body, payload])).toEqual([
      ['label', labels[1], '1', '{"isAdded":true}'],
      ['label', labels[0], '1', '{"isAdded":true}'],
      ['milestone', milestone, '', `{"oldId":0,"newId":${milestone}}`],
      ['assignees', wesId, '', '{"isRemoved":false}'],
      ['assignees', annId, '', '{"isRemoved":false}'],
      ['close', 0, '', ''],
    ])
    const threads = await rows(server, 'notification', { issue_id: issue.id })
    expect(threads.map(({ user_id: user, reason, status }) => [user, reason, status])).toEqual([
      [bobId, 'mentioned', 'unread'],
      [wesId, 'assigned', 'unread'],
    ])
    const repo = await row(server, 'repo', { lower_name: 'desk' })
    expect(repo).toEqual({ ...counts, closed_issues_count: counts.closed_issues_count + 1 })
    for (const id of labels) expect((await row(server, 'label', { id })).issues_count).toBe(1)
    for (const table of ['issue_label', 'issue_assignee', 'issue_mention'] as const) {
      const copies = await rows(server, table, { issue_id: issue.id })
      expect(copies.map((copy) => copy.is_closed)).toEqual(copies.map(() => 1))
      expect(copies.length).toBe(table === 'issue_mention' ? 1 : 2)
    }
    const activities = await rows(server, 'activity', { issue_id: issue.id })
    expect(activities.map((activity) => activity.op_type)).toEqual(['create_issue', 'close_issue'])
  })

  it('has the last label of an exclusive scope, and no labels or milestones of other repositories', async () => {
    const { server, ann } = given
    const [one, two] = [await makeLabel('p/1', { exclusive: true }), await makeLabel('p/2', { exclusive: true })]
    const foreign = await ann.client.post('/repos/ann/vault/milestones', { title: 'theirs' })
    const issue = await createIssue(ann, { labels: [two, one, two, 999_999], milestone: ids(foreign) })
    expect(issue).toMatchObject({ labels: [{ id: two }], milestone: null })
    expect((await row(server, 'label', { id: one })).issues_count).toBe(0)
    expect((await row(server, 'label', { id: two })).issues_count).toBe(1)
    expect((await row(server, 'milestone', { id: ids(foreign) })).open_issues).toBe(0)
    expect(await rows(server, 'timeline_entry', { issue_id: issue.id })).toHaveLength(1)
  })

  it('ignores the fields if its author is not a writer, or if an assignee blocks the author', async () => {
    const { server, wes, bob } = given
    const [label, milestone] = [await makeLabel('kept'), await makeMilestone('kept')]
    const plain = await createIssue(bob, { labels: [label], milestone, assignees: ['wes'], closed: true })
    expect(plain).toMatchObject({ labels: [], milestone: null, assignees: null, state: 'closed' })
    expect((await bob.client.put('/user/blocks/wes')).status).toBe(204)
    const refused = await wes.client.post('/repos/ann/desk/issues', {
      title: 'No',
      labels: [label],
      assignees: ['bob'],
    })
    expect(refused.status).toBe(403)
    expect((await row(server, 'label', { id: label })).issues_count).toBe(0)
    expect((await row(server, 'milestone', { id: milestone })).open_issues).toBe(0)
  })

  it('treats empty names as absent, on creation and later', async () => {
    const { wes } = given
    const label = await makeLabel('named')
    const issue = await createIssue(wes, { assignees: ['', 'wes'], labels: [label] })
    const path = `/repos/ann/desk/issues/${issue.number}`
    expect(issue.assignees).toMatchObject([{ login: 'wes' }])
    expect((await createIssue(wes, { assignees: [''] })).assignees).toBeNull()
    expect((await wes.client.patch(path, { assignees: [''] })).json.assignees).toBeNull()
    expect((await wes.client.put(`${path}/labels`, { labels: ['', 'named'] })).json).toMatchObject([{ id: label }])
    expect((await wes.client.post(`${path}/labels`, { labels: [label, ''] })).status).toBe(200)
  })
})
