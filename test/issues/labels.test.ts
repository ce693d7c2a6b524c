import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { expectEvents, lastEventId, row, rows } from '../harness/expect.ts'
import type { Any } from '../harness/client.ts'
import type { Person } from '../harness/world.ts'
import { createIssue, issueWorld, timelineOf } from './issue-world.ts'

const makeLabel = async (person: Person, name: string, options: object = {}): Promise<number> => {
  const answer = await person.client.post('/repos/ann/desk/labels', { name, color: '#123456', ...options })
  expect(answer.status).toBe(201)
  return answer.json.id
}

const names = (answer: Any): string[] => answer.json.map((label: Any) => label.name)

describeOnBoth('labels of issues', (on) => {
  const given = issueWorld({ on })

  it('are added, replaced and deleted, by ids or by names, with their counters', async () => {
    const { ann, server } = given
    const [bug, old] = [await makeLabel(ann, 'bug'), await makeLabel(ann, 'old', { is_archived: true })]
    const { number, id } = await createIssue(ann)
    const path = `/repos/ann/desk/issues/${number}/labels`
    const count = async () => (await row(server, 'label', { id: bug })).issues_count
    const mark = await lastEventId(server)
    expect(names(await ann.client.post(path, { labels: [old, 999_999] }))).toEqual(['old'])
    expect(names(await ann.client.post(path, { labels: ['bug', 'missing'] }))).toEqual(['bug', 'old'])
    expect(names(await ann.client.post(path, { labels: [bug] }))).toEqual(['bug', 'old'])
    expect(names(await ann.client.post(path, {}))).toEqual(['bug', 'old'])
    expect(await count()).toBe(1)
    expect(names(await server.anonymous.get(path))).toEqual(['bug', 'old'])
    expect(names(await ann.client.put(path, { labels: [old] }))).toEqual(['old'])
    expect(await count()).toBe(0)
    expect((await ann.client.delete(`${path}/bug`)).status).toBe(204)
    expect((await ann.client.delete(`${path}/${old}`)).status).toBe(204)
    expect(names(await ann.client.put(path, { labels: ['old', 'bug'] }))).toEqual(['bug', 'old'])
    expect((await ann.client.delete(path)).status).toBe(204)
    expect((await ann.client.delete(path)).status).toBe(204)
    expect((await ann.client.get(path)).json).toEqual([])
    await expectEvents(server, { after: mark }, [
      ['issue.labels_changed', { issue_id: id, is_cleared: false }],
      ['issue.labels_changed', { is_cleared: false }],
      ['issue.labels_changed', { is_cleared: false }],
      ['issue.labels_changed', { is_cleared: false }],
      ['issue.labels_changed', { is_cleared: false }],
      ['issue.labels_changed', { is_cleared: true }],
    ])
    const entries = await rows(server, 'timeline_entry', { issue_id: id, kind: 'label' })
    expect(entries.map(({ target_id: target, body }) => [target, body])).toEqual([
      [old, '1'],
      [bug, '1'],
      [bug, ''],
      [old, ''],
      [bug, '1'],
      [old, '1'],
      [bug, ''],
      [old, ''],
    ])
  })

  it('of an exclusive scope replace each other, with an entry for each', async () => {
    const { ann, server } = given
    const exclusive = { exclusive: true }
    const high = await makeLabel(ann, 'prio/high', exclusive)
    const low = await makeLabel(ann, 'prio/low', exclusive)
    await makeLabel(ann, 'prio/sub/x', exclusive)
    const { number, id } = await createIssue(ann)
    const path = `/repos/ann/desk/issues/${number}/labels`
    expect(names(await ann.client.post(path, { labels: ['prio/sub/x', 'prio/high'] }))).toEqual([
      'prio/high',
      'prio/sub/x',
    ])
    expect(names(await ann.client.post(path, { labels: [low] }))).toEqual(['prio/low', 'prio/sub/x'])
    expect(names(await ann.client.put(path, { labels: [low, high] }))).toEqual(['prio/low'])
    const entries = await rows(server, 'timeline_entry', { issue_id: id, kind: 'label' })
    expect(entries.slice(2, 4).map(({ target_id: target, body }) => [target, body])).toEqual([
      [high, ''],
      [low, '1'],
    ])
    const counts = await Promise.all([high, low].map(async (id) => (await row(server, 'label', { id })).issues_count))
    expect(counts).toEqual([0, 1])
  })
})

describe('permissions for labels of issues', () => {
  const given = issueWorld()

  it('include writers only; lists must contain ids or names', async () => {
    const { ann, bob, wes, server } = given
    const id = await makeLabel(ann, 'bug')
    const { number } = await createIssue(bob)
    const path = `/repos/ann/desk/issues/${number}/labels`
    const refused = await bob.client.post(path, { labels: [id] })
    expect([refused.status, refused.json.message]).toEqual([403, 'write permission is required'])
    expect((await bob.client.put(path, { labels: [id] })).status).toBe(403)
    const bare = await bob.client.delete(path)
    expect([bare.status, bare.json.message]).toEqual([403, ''])
    expect((await server.anonymous.post(path, { labels: [id] })).status).toBe(401)
    const message = async (labels: unknown): Promise<unknown[]> => {
      const answer = await wes.client.post(path, { labels })
      return [answer.status, answer.json.message]
    }
    expect(await message([id, 'bug'])).toEqual([400, 'labels should be an array of strings or integers'])
    expect(await message([true])).toEqual([400, 'a label must be an integer or a string'])
    expect(await message([null])).toEqual([400, 'a label must be an integer or a string'])
    expect((await message('bug'))[0]).toBe(422)
    expect((await message(Array(101).fill(1)))[0]).toBe(422)
    expect((await wes.client.delete(`${path}/999999`)).status).toBe(422)
    expect((await wes.client.delete(`${path}/missing`)).status).toBe(422)
    expect((await wes.client.get('/repos/ann/desk/issues/999/labels')).status).toBe(404)
    expect(names(await wes.client.post(path, { labels: ['bug'] }))).toEqual(['bug'])
    await ann.client.patch('/repos/ann/desk', { archived: true })
    expect((await wes.client.delete(path)).status).toBe(204)
    await ann.client.patch('/repos/ann/desk', { archived: false })
  })

  it('let administrators set the time', async () => {
    const { ann, wes, server } = given
    await makeLabel(ann, 'timed')
    const { number, created_at: at, id } = await createIssue(ann)
    const path = `/repos/ann/desk/issues/${number}/labels`
    const body = { labels: ['timed'], updated_at: at }
    expect((await wes.client.post(path, body)).status).toBe(403)
    expect((await ann.client.post(path, { ...body, updated_at: '2001-01-01T00:00:00Z' })).status).toBe(403)
    expect((await ann.client.post(path, { ...body, updated_at: 'soon' })).status).toBe(422)
    await ann.client.post(path, body)
    expect((await ann.client.delete(`${path}/timed`, { updated_at: at })).status).toBe(204)
    await ann.client.put(path, body)
    expect((await ann.client.delete(path, { updated_at: at })).status).toBe(204)
    expect((await ann.client.get(`/repos/ann/desk/issues/${number}`)).json.updated_at).toBe(at)
    const entries = await rows(server, 'timeline_entry', { issue_id: id, kind: 'label' })
    expect(entries.map((entry) => entry.created_at)).toEqual(Array(4).fill(Date.parse(at)))
  })

  it('include labels of the organization by name and id, not those of others', async () => {
    const { ann, server } = given
    await server.world.org('acme', { owner: ann })
    await ann.client.post('/user/repos', { name: 'other' })
    await ann.client.post('/orgs/acme/repos', { name: 'shop' })
    const own = (await ann.client.post('/orgs/acme/labels', { name: 'wide', color: '#abcdef' })).json
    const foreign = (await ann.client.post('/repos/ann/other/labels', { name: 'far', color: '#abcdef' })).json
    const { number } = await createIssue(ann, {}, 'acme/shop')
    const path = `/repos/acme/shop/issues/${number}/labels`
    expect((await ann.client.post(path, { labels: [own.id, foreign.id] })).json).toEqual([own])
    expect((await ann.client.delete(`${path}/${foreign.id}`)).status).toBe(422)
    expect((await ann.client.delete(`${path}/wide`)).status).toBe(204)
    expect(names(await ann.client.put(path, { labels: ['wide', 'far'] }))).toEqual(['wide'])
  })
})

describe('updated_at of a request that changes nothing else', () => {
  const clock = { time: Date.parse('2030-01-01T00:00:00Z'), now: () => clock.time }
  const given = issueWorld({ clock })

  it('is stored by every operation on labels and by an edit, without an entry of the timeline', async () => {
    const { ann } = given
    const id = await makeLabel(ann, 'timed')
    const { number } = await createIssue(ann, { labels: [id] })
    clock.time += 60_000
    const issue = `/repos/ann/desk/issues/${number}`
    const entries = (await timelineOf(ann, number)).length
    const calls = [
      (body: object) => ann.client.put(`${issue}/labels`, { labels: [id], ...body }),
      (body: object) => ann.client.post(`${issue}/labels`, { labels: [id], ...body }),
      (body: object) => ann.client.patch(issue, body),
    ]
    for (const [second, call] of calls.entries()) {
      const at = `2030-01-01T00:00:1${second}Z`
      await call({ updated_at: at })
      expect((await ann.client.get(issue)).json.updated_at).toBe(at)
    }
    expect(await timelineOf(ann, number)).toHaveLength(entries)
  })
})
