import { expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { findWrongCounters } from '../harness/rows.ts'
import type { SourceEvent } from '../../src/domains/migration/imports/source.ts'
import { at, comment, FILE, GHOST, issue, label, milestone, PNG, THEA, TOM, wire } from './issue-content.ts'
import { type Content, importInto, importIssues, phaseWorld } from './issue-phase-world.ts'

const CONTENT: Partial<Content> = {
  labels: [label('bug'), label('docs'), label('a/b', { isExclusive: true, isArchived: true, color: '#ABC' })],
  milestones: [
    milestone('12', { title: 'Spring', description: 'see !2', dueAt: at(400) }),
    milestone('13', { title: 'Past', isClosed: true, closedAt: at(9) }),
  ],
  issues: [
    issue(1, {
      body: `A picture: ![](${FILE}) of !5`,
      labels: ['bug', 'docs'],
      milestone: '12',
      assignees: [TOM, THEA],
      dueAt: at(500),
      ref: 'main',
      pinOrder: 2,
      timeEstimate: 3600,
      updatedAt: at(30),
      reactions: [
        { user: TOM, content: 'heart', createdAt: at(2) },
        { user: TOM, content: 'heart', createdAt: at(3) },
        { user: THEA, content: '+1', createdAt: undefined },
        { user: THEA, content: 'rocket', createdAt: undefined },
      ],
      assets: [
        { name: 'log.txt', url: 'https://source.test/log', kind: 'file', downloads: 4, createdAt: at(2) },
        { name: 'site', url: 'https://other.test/', kind: 'link', downloads: 0, createdAt: undefined },
      ],
    }),
    issue(2, { isClosed: true, closedAt: at(20), isLocked: true, author: TOM, milestone: '12', labels: ['bug'] }),
    issue(5, { pinOrder: 1, author: GHOST, milestone: '13', isClosed: true }),
    issue(9, { body: 'a needle in the hay' }),
  ],
  comments: [
    comment(101, 1, {
      body: `again ${FILE}`,
      updatedAt: at(102),
      reactions: [{ user: TOM, content: '+1', createdAt: at(101) }],
    }),
    comment(102, 1, { author: GHOST }),
    comment(103, 9, { body: 'the haystack' }),
  ],
  events: [
    { issue: 1, actor: THEA, createdAt: at(3), kind: 'label', label: 'bug', isAdded: true },
    { issue: 1, actor: THEA, createdAt: at(4), kind: 'label', label: 'gone', isAdded: true },
    { issue: 1, actor: THEA, createdAt: at(5), kind: 'milestone', old: undefined, new: '12' },
    { issue: 1, actor: TOM, createdAt: at(6), kind: 'assignees', assignee: TOM, isRemoved: false },
    { issue: 1, actor: TOM, createdAt: at(6), kind: 'assignees', assignee: THEA, isRemoved: false },
    { issue: 1, actor: THEA, createdAt: at(7), kind: 'change_title', old: 'Old', new: 'Issue 1' },
    { issue: 1, actor: THEA, createdAt: at(8), kind: 'add_dependency', other: 9 },
    { issue: 2, actor: TOM, createdAt: at(20), kind: 'close' },
    { issue: 2, actor: TOM, createdAt: at(21), kind: 'lock' },
    { issue: 5, actor: THEA, createdAt: at(22), kind: 'change_issue_ref', old: 'a', new: 'b' },
  ],
  times: [
    { id: 1, issue: 1, user: THEA, seconds: 3600, createdAt: at(10) },
    { id: 2, issue: 1, user: TOM, seconds: 60, createdAt: at(11) },
  ],
  dependencies: [
    { issue: 1, dependsOn: 9 },
    { issue: 9, dependsOn: 1 },
    { issue: 2, dependsOn: 9 },
  ],
  files: { [FILE]: PNG, 'https://source.test/log': 'lines' },
}

describeOnBoth('imported issues', (on) => {
  const given = phaseWorld(on)

  for (const isInterrupted of [false, true])
    it(`arrive complete${isInterrupted ? ' when every step is followed by a restart' : ''}`, async () => {
      const { ann, bob, server } = given
      const name = isInterrupted ? 'resumed' : 'whole'
      const { get, warnings } = await importInto(given, name, { content: CONTENT, isInterrupted })
      expect(warnings).toEqual([])

      const one = await get('/issues/1')
      expect(one).toMatchObject({
        number: 1,
        user: { login: 'ann' },
        original_author: 'thea',
        original_author_id: 7,
        title: 'Issue 1',
        state: 'open',
        is_locked: false,
        labels: [{ name: 'bug' }, { name: 'docs' }],
        milestone: { title: 'Spring', open_issues: 1, closed_issues: 1, description: 'see #2' },
        assignees: [{ login: 'bob' }],
        due_date: wire(500),
        ref: 'main',
        pin_order: 2,
        time_estimate: 3600,
        comments: 2,
        created_at: wire(1),
        updated_at: wire(30),
        closed_at: null,
      })
      const copies = one.assets.filter(({ type }: Any) => type === 'attachment')
      expect(one.assets.map((asset: Any) => [asset.name, asset.type, asset.download_count])).toEqual([
        ['log.txt', 'attachment', 4],
        ['picture.png', 'attachment', 0],
        ['site', 'external', 0],
      ])
      expect(copies[0].created_at).toBe(wire(2))
      const [, address] = /!\[\]\((.*)\) of #5$/.exec(one.body)!
      expect(address).toBe(copies[1].browser_download_url)
      const file = await fetch(address!)
      expect([file.status, Buffer.from(await file.arrayBuffer()).toString('latin1')]).toEqual([200, PNG])

      const two = await get('/issues/2')
      expect(two).toMatchObject({
        user: { login: 'bob' },
        original_author: '',
        original_author_id: 0,
        state: 'closed',
        is_locked: true,
        closed_at: wire(20),
        assignees: null,
      })
      expect(await get('/issues/5')).toMatchObject({
        original_author: 'Ghost',
        original_author_id: -1,
        pin_order: 1,
        milestone: { title: 'Past', state: 'closed', closed_at: wire(9) },
        // The source does not say when it was closed.
        closed_at: wire(5),
      })
      expect((await get('/issues/pinned')).map((pinned: Any) => pinned.number)).toEqual([5, 1])
      expect((await get('/issues?q=needle&state=all')).map((found: Any) => found.number)).toEqual([9])
      expect((await get('/issues?q=haystack&state=all')).map((found: Any) => found.number)).toEqual([9])

      const [first, second, ...others] = await get('/issues/1/comments')
      expect(first).toMatchObject({
        user: { login: 'bob' },
        original_author: '',
        created_at: wire(101),
        updated_at: wire(102),
        assets: [{ name: 'picture.png' }],
      })
      expect(first.body).toBe(`again ${first.assets[0].browser_download_url}`)
      expect(second).toMatchObject({ user: { login: 'ann' }, original_author: 'Ghost', original_author_id: -1 })
      expect(others).toEqual([])

      expect(await get('/issues/1/reactions')).toMatchObject([
        { user: { login: 'bob' }, content: 'heart', created_at: wire(2) },
        { user: { id: 0, login: 'thea(gitea)' }, content: '+1', created_at: wire(1) },
      ])
      expect(await get(`/issues/comments/${first.id}/reactions`)).toMatchObject([{ user: { login: 'bob' } }])
      // The account that imported has not reacted itself.
      const added = await ann.client.post(`/repos/ann/${name}/issues/1/reactions`, { content: '+1' })
      expect(added.status).toBe(201)
      const path = `/repos/ann/${name}/issues/1/reactions`
      expect((await ann.client.delete(path, { content: '+1' })).status).toBe(204)
      expect((await ann.client.get(path)).json).toHaveLength(2)

      const entries = (await get('/issues/1/timeline')).filter(({ type }: Any) => type !== 'comment')
      expect(entries.map((entry: Any) => [entry.type, entry.user.login, entry.created_at])).toEqual([
        ['label', 'ann', wire(3)],
        ['milestone', 'ann', wire(5)],
        ['assignees', 'bob', wire(6)],
        ['change_title', 'ann', wire(7)],
        ['add_dependency', 'ann', wire(8)],
        ['add_time_manual', 'ann', wire(10)],
        ['add_time_manual', 'bob', wire(11)],
      ])
      expect(entries[0]).toMatchObject({ body: '1', label: { name: 'bug' } })
      expect(entries[1]).toMatchObject({ old_milestone: null, milestone: { title: 'Spring' } })
      expect(entries[2]).toMatchObject({ assignee: { login: 'bob' }, removed_assignee: false })
      expect(entries[3]).toMatchObject({ old_title: 'Old', new_title: 'Issue 1' })
      expect(entries[4]).toMatchObject({ dependent_issue: { number: 9 } })
      expect(entries[5]).toMatchObject({ body: '1 hour', tracked_time: { time: 3600 } })
      expect((await get('/issues/2/timeline')).map(({ type }: Any) => type)).toEqual(['close', 'lock'])
      expect((await get('/issues/5/timeline')).map((entry: Any) => [entry.old_ref, entry.new_ref])).toEqual([
        ['a', 'b'],
      ])

      expect(await get('/issues/1/times')).toMatchObject([
        { user_id: 0, user_name: 'thea', time: 3600, created: wire(10) },
        { user_id: bob.user.id, user_name: 'bob', time: 60 },
      ])
      expect((await ann.client.get('/user/times')).json).toEqual([])

      expect((await get('/issues/1/dependencies')).map((other: Any) => other.number)).toEqual([9])
      // The reverse of another dependency.
      expect(await get('/issues/9/dependencies')).toEqual([])
      expect((await get('/issues/9/blocks')).map((other: Any) => other.number)).toEqual([2, 1])

      const made = await ann.client.post(`/repos/ann/${name}/issues`, { title: 'next' })
      expect(made.json.number).toBe(10)
      const counters = await findWrongCounters(server.app.database.read)
      // The engine counts the issues of the repository when the import ends.
      expect(counters.filter(({ table }: Any) => table !== 'repo')).toEqual([])
      expect(await get('/labels')).toMatchObject([
        { name: 'a/b', color: 'aabbcc', exclusive: true, is_archived: true },
        { name: 'bug', color: '00aabb', exclusive: false, is_archived: false },
        { name: 'docs' },
      ])
    })

  it('cause no events, notifications, mentions or jobs', async () => {
    const { server, bob } = given
    const count = (table: 'event' | 'job' | 'notification') =>
      server.app.database.read
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    const repo = await server.world.repo({ owner: given.ann, name: 'silent', autoInit: true })
    await server.drain()
    const before = [await count('event'), await count('job'), await count('notification')]
    const content = {
      issues: [issue(1, { body: '@bob #2' }), issue(2)],
      comments: [comment(1, 2, { body: '@bob #1' })],
    }
    await importIssues(given, { content, repo })
    expect([await count('event'), await count('job'), await count('notification')]).toEqual(before)
    const mentioning = await bob.client.get('/repos/ann/silent/issues?mentioned_by=bob')
    expect([mentioning.status, mentioning.json]).toEqual([200, []])
  })

  it('are written in steps of at most 100 items', async () => {
    const many = Array.from({ length: 250 }, (_, index) => comment(index + 1, 1))
    const content = {
      issues: Array.from({ length: 120 }, (_, index) => issue(index + 1)),
      comments: many,
      events: many.map(({ id }) => ({ issue: 1, actor: THEA, createdAt: at(id), kind: 'lock' })) as SourceEvent[],
    }
    const { get, warnings } = await importInto(given, 'many', { content, isInterrupted: true })
    expect(warnings).toEqual([])
    expect((await get('/issues/1')).comments).toBe(250)
    const types = []
    for (let page = 1; page <= 10; page++)
      types.push(...(await get(`/issues/1/timeline?limit=50&page=${page}`)).map(({ type }: Any) => type))
    expect(types.filter((type) => type === 'lock')).toHaveLength(250)
    expect((await get('/issues?limit=50&page=3')).length).toBe(20)
  })
})
