import { describe, expect, it } from 'vitest'
import { asId } from '../../src/core/platform/crypto/ids.ts'
import { insertEntries, type NewEntry } from '../../src/domains/issues/issues/timeline/timeline-entry.store.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import type { TestServer } from '../harness/server.ts'
import { queriesOf } from '../harness/queries.ts'
import { comment, createIssue, issueWorld, timelineOf } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'

/** The members that differ from those of an entry with no members set. */
function ownMembers(entry: Any): Any {
  const empty = new Set(['', null, 0, false, 'none'])
  const common = new Set(['id', 'user', 'html_url', 'issue_url', 'created_at', 'updated_at'])
  return Object.fromEntries(
    Object.entries(entry).filter(([name, value]) => !common.has(name) && !empty.has(value as never)),
  )
}

/** Adds entries that later modules write. */
const addEntries = (server: TestServer, issue: Any, actorId: number, entries: NewEntry[]) =>
  server.app.database.transaction((tx) =>
    insertEntries(
      tx,
      { issue: { id: asId(issue.id), repoId: asId(issue.repository.id) }, actorId: asId(actorId), at: Date.now() },
      entries,
    ),
  )

describeOnBoth('timelines', (on) => {
  const given = issueWorld({ on })

  it('contain comments and events with all members, and values for those of their kind', async () => {
    const { ann, bob, server } = given
    const label = (await ann.client.post('/repos/ann/desk/labels', { name: 'bug', color: '#f00' })).json
    const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: 'm' })).json
    const issue = await createIssue(ann, { title: 'Hero', labels: [label.id] })
    const edit = (body: object) => ann.client.patch(`${DESK}/${issue.number}`, body)
    for (const body of [
      { milestone: milestone.id },
      { milestone: 0 },
      { assignees: ['bob'] },
      { assignees: [] },
      { title: 'Heroine' },
      { ref: 'refs/heads/main' },
      { due_date: '2031-02-03T00:00:00Z' },
      { due_date: '2031-03-04T00:00:00Z' },
      { unset_due_date: true },
    ])
      expect((await edit(body)).status).toBe(201)
    const said = await comment(bob, issue.number, { body: 'I read it' })
    await edit({ state: 'closed' })
    await edit({ state: 'open' })
    const entries = await timelineOf(ann, issue.number)
    const m = expect.objectContaining({ id: milestone.id, title: 'm' })
    const login = (name: string) => expect.objectContaining({ login: name })
    expect(entries.map(ownMembers)).toEqual([
      { type: 'label', body: '1', label },
      { type: 'milestone', milestone: m },
      { type: 'milestone', old_milestone: m },
      { type: 'assignees', assignee: login('bob') },
      { type: 'assignees', assignee: login('bob'), removed_assignee: true },
      { type: 'change_title', old_title: 'Hero', new_title: 'Heroine' },
      { type: 'change_issue_ref', new_ref: 'main' },
      { type: 'added_deadline', body: '2031-02-03' },
      { type: 'modified_deadline', body: '2031-03-04|2031-02-03' },
      { type: 'removed_deadline', body: '2031-03-04' },
      { type: 'comment', body: 'I read it' },
      { type: 'close' },
      { type: 'reopen' },
    ])
    const page = `${server.url}/ann/desk/issues/${issue.number}`
    expect(entries[10]).toEqual({
      id: said.id,
      type: 'comment',
      html_url: said.html_url,
      pull_request_url: '',
      issue_url: page,
      user: said.user,
      body: 'I read it',
      commit_id: '',
      created_at: said.created_at,
      updated_at: said.updated_at,
      old_project_id: 0,
      project_id: 0,
      old_milestone: null,
      milestone: null,
      tracked_time: null,
      old_title: '',
      new_title: '',
      old_ref: '',
      new_ref: '',
      ref_issue: null,
      ref_comment: null,
      ref_action: 'none',
      ref_commit_sha: '',
      review_id: 0,
      label: null,
      assignee: null,
      assignee_team: null,
      removed_assignee: false,
      resolve_doer: null,
      dependent_issue: null,
    })
    await ann.client.delete(`/repos/ann/desk/labels/${label.id}`)
    expect((await timelineOf(ann, issue.number))[0].type).toBe('milestone')
  })

  it('contain references only for users who may read their source', async () => {
    const { ann, bob, server } = given
    const issue = await createIssue(ann)
    const open = await createIssue(ann)
    const hidden = await createIssue(ann, {}, 'ann/vault')
    const [said, deleted] = [await comment(ann, open.number), await comment(ann, open.number)]
    const secret = await comment(ann, hidden.number, { body: 'secret' }, 'ann/vault')
    const action = 'none'
    await addEntries(server, issue, ann.user.id, [
      { kind: 'issue_ref', targetId: hidden.id, payload: { action } },
      { kind: 'comment_ref', targetId: hidden.id, payload: { action, commentId: secret.id } },
      { kind: 'commit_ref', targetId: hidden.repository.id, payload: { action, oid: 'a'.repeat(40) } },
      { kind: 'add_dependency', targetId: hidden.id },
      { kind: 'issue_ref', targetId: open.id, payload: { action: 'neutered' } },
      { kind: 'comment_ref', targetId: open.id, payload: { action, commentId: said.id } },
      { kind: 'comment_ref', targetId: open.id, payload: { action, commentId: deleted.id } },
      { kind: 'commit_ref', targetId: open.repository.id, payload: { action: 'closes', oid: 'b'.repeat(40) } },
      { kind: 'remove_dependency', targetId: open.id },
      { kind: 'close', payload: { commitOid: 'b'.repeat(40) } },
    ])
    await ann.client.delete(`${DESK}/comments/${deleted.id}`)
    const other = expect.objectContaining({ id: open.id, number: open.number })
    const visible = [
      { type: 'issue_ref', ref_issue: other, ref_action: 'neutered' },
      { type: 'comment_ref', ref_issue: other, ref_comment: said },
      { type: 'comment_ref', ref_issue: other },
      { type: 'commit_ref', ref_commit_sha: 'b'.repeat(40), commit_id: 'b'.repeat(40) },
      { type: 'remove_dependency', dependent_issue: other },
      { type: 'close', commit_id: 'b'.repeat(40) },
    ]
    for (const client of [server.anonymous, bob.client, await ann.withToken('public-only', 'all')]) {
      const { json, text } = await client.get(`${DESK}/${issue.number}/timeline`)
      expect(json.map(ownMembers)).toEqual([{ type: 'add_dependency' }, ...visible])
      expect(text).not.toContain('vault')
    }
    const all = await timelineOf(ann, issue.number)
    const inVault = expect.objectContaining({ id: hidden.id })
    expect(all.slice(0, 4).map(ownMembers)).toEqual([
      { type: 'issue_ref', ref_issue: inVault },
      { type: 'comment_ref', ref_issue: inVault, ref_comment: secret },
      { type: 'commit_ref', ref_commit_sha: 'a'.repeat(40), commit_id: 'a'.repeat(40) },
      { type: 'add_dependency', dependent_issue: inVault },
    ])
  })
})

describe('queries of timelines', () => {
  const given = issueWorld()

  it('do not increase with the number of entries', async () => {
    const { ann, bob, server } = given
    const issue = await createIssue(ann)
    const grow = async (n: number): Promise<void> => {
      const label = (await ann.client.post('/repos/ann/desk/labels', { name: `l${n}`, color: '#f00' })).json
      const milestone = (await ann.client.post('/repos/ann/desk/milestones', { title: `m${n}` })).json
      await ann.client.patch(`${DESK}/${issue.number}`, { milestone: milestone.id, assignees: n % 2 ? ['bob'] : [] })
      const repo = await server.world.repo({ owner: bob, name: `r${n}`, autoInit: true })
      const other = await createIssue(bob, {}, `bob/r${n}`)
      const said = await comment(bob, other.number, {}, `bob/r${n}`)
      await comment(n % 2 ? ann : bob, issue.number)
      await addEntries(server, issue, bob.user.id, [
        { kind: 'label', targetId: label.id, payload: { isAdded: true } },
        { kind: 'comment_ref', targetId: other.id, payload: { action: 'none', commentId: said.id } },
        { kind: 'commit_ref', targetId: repo.id, payload: { action: 'none', oid: 'a'.repeat(40) } },
        { kind: 'add_dependency', targetId: other.id },
      ])
    }
    /** After a commit: without one the response is cached. */
    const ask = async (): Promise<number> => {
      const { status } = await ann.client.patch('/repos/ann/desk', { description: 'Changed' })
      expect(status).toBe(200)
      return (await queriesOf(server.app.database, () => timelineOf(ann, issue.number))).length
    }
    await grow(1)
    const once = await ask()
    expect(once).toBeGreaterThan(5)
    await grow(2)
    await grow(3)
    expect((await timelineOf(ann, issue.number)).length).toBeGreaterThan(18)
    expect(await ask()).toBe(once)
  })
})

describe('pages of timelines', () => {
  const clock = { time: Date.parse('2030-01-01T00:00:00Z'), now: () => clock.time }
  const given = issueWorld({ clock })

  it('have the total of the page, and filter by a time span', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    for (const title of ['1', '2', '3', '4', '5']) {
      clock.time += 10_000
      await ann.client.patch(`${DESK}/${number}`, { title })
    }
    const titles = async (query: string) => {
      const answer = await server.anonymous.get(`${DESK}/${number}/timeline?${query}`)
      const found = answer.json.map((entry: Any) => entry.new_title)
      expect(answer.headers.get('x-total-count')).toBe(String(found.length))
      expect(answer.headers.get('link')).toBeNull()
      return found
    }
    expect(await titles('limit=2')).toEqual(['1', '2'])
    expect(await titles('limit=2&page=3')).toEqual(['5'])
    expect(await titles('limit=2&page=9')).toEqual([])
    expect(await titles('since=2030-01-01T00:00:20Z&before=2030-01-01T00:00:30Z')).toEqual(['2', '3'])
    expect((await server.anonymous.get(`${DESK}/${number}/timeline?before=never`)).status).toBe(422)
    expect((await server.anonymous.get(`${DESK}/999/timeline`)).status).toBe(404)
    expect((await server.anonymous.get('/repos/ann/vault/issues/1/timeline')).status).toBe(404)
  })
})

describe('details of other modules', () => {
  const given = issueWorld()

  it('are loaded once for the entries of their kinds and merged', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    const asked: number[] = []
    server.app.timeline.registerDetails(['comment'], async (_viewer, entries) => {
      asked.push(entries.length)
      return new Map(entries.map((entry) => [entry.id, { review_id: entry.id }]))
    })
    server.app.timeline.registerDetails(['comment', 'close'], async (_viewer, entries) => {
      return new Map(entries.map((entry) => [entry.id, { project_id: 7 }]))
    })
    const made = [await comment(ann, number), await comment(ann, number)]
    await ann.client.patch(`${DESK}/${number}`, { title: 'New', state: 'closed' })
    const entries = await timelineOf(ann, number)
    expect(entries.map((entry) => [entry.type, entry.review_id, entry.project_id])).toEqual([
      ['comment', made[0].id, 7],
      ['comment', made[1].id, 7],
      ['change_title', 0, 0],
      ['close', 0, 7],
    ])
    expect(asked).toEqual([2])
  })
})
