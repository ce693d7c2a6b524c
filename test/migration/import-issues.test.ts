import { expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { findWrongCounters } from '../harness/rows.ts'
import type {
  SourceComment,
  SourceEvent,
  SourceIssue,
  SourceMilestone,
  SourceUser,
} from '../../src/domains/migration/imports/source.ts'
import { type Content, importIssues, phaseWorld } from './issue-phase-world.ts'

const DAY = 86_400_000
const T0 = Date.UTC(2020, 0, 1)
const at = (days: number): number => T0 + days * DAY
const wire = (days: number): string => `${new Date(at(days)).toISOString().slice(0, 19)}Z`

const person = (id: number, login: string): SourceUser => ({ id, login, email: '' })
const THEA = person(7, 'thea')
const TOM = person(8, 'tom')
const GHOST = person(-1, 'Ghost')

const issue = (number: number, more: Partial<SourceIssue> = {}): SourceIssue => ({
  number,
  author: THEA,
  title: `Issue ${number}`,
  body: '',
  isClosed: false,
  isLocked: false,
  createdAt: at(number),
  updatedAt: at(number),
  closedAt: undefined,
  labels: [],
  milestone: undefined,
  assignees: [],
  dueAt: undefined,
  ref: '',
  pinOrder: 0,
  timeEstimate: 0,
  reactions: [],
  assets: [],
  ...more,
})

const comment = (id: number, of: number, more: Partial<SourceComment> = {}): SourceComment => ({
  id,
  issue: of,
  author: TOM,
  createdAt: at(id),
  updatedAt: at(id),
  body: `Comment ${id}`,
  reactions: [],
  assets: [],
  ...more,
})

const milestone = (key: string, more: Partial<SourceMilestone> = {}): SourceMilestone => ({
  key,
  title: `Milestone ${key}`,
  description: '',
  isClosed: false,
  dueAt: undefined,
  createdAt: at(0),
  updatedAt: at(1),
  closedAt: undefined,
  ...more,
})

const PNG = '\x89PNG\r\n\x1a\n'.padEnd(64, 'x')
const FILE = 'https://source.test/files/picture'

const CONTENT: Partial<Content> = {
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

  async function repoWith(name: string, content: Partial<Content>, isInterrupted = false) {
    const { server, ann, bob } = given
    const repo = await server.world.repo({ owner: ann, name, autoInit: true })
    for (const label of ['bug', 'docs'])
      await ann.client.post(`/repos/ann/${name}/labels`, { name: label, color: '00aabb' })
    const warnings = await importIssues(given, { content, repo, users: { tom: bob.user.id }, isInterrupted })
    const get = async (path: string): Promise<Any> => {
      const answer = await ann.client.get(`/repos/ann/${name}${path}`)
      expect(answer.status, path).toBe(200)
      return answer.json
    }
    return { repo, warnings, get }
  }

  for (const isInterrupted of [false, true])
    it(`arrive complete${isInterrupted ? ' when every step is followed by a restart' : ''}`, async () => {
      const { ann, bob, server } = given
      const name = isInterrupted ? 'resumed' : 'whole'
      const { get, warnings, repo } = await repoWith(name, CONTENT, isInterrupted)
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
      expect((await get('/labels')).map((label: Any) => label.name)).toEqual(['bug', 'docs'])
      expect(repo.name).toBe(name)
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

  it('that are hostile cause warnings, never a failure', async () => {
    const future = Date.now() + 10 * DAY
    const long = 'x'.repeat(2_000_000)
    const { get, warnings } = await repoWith('hostile', {
      milestones: [milestone('1'), milestone('1'), milestone('\0', { title: '\0', createdAt: undefined })],
      issues: [
        issue(3, {
          title: ' ',
          body: `${long}\ud800`,
          ref: 'r'.repeat(300),
          labels: ['bug', 'bug', 'no\0ne'],
          milestone: '9',
        }),
        issue(3, { title: 'the same number' }),
        issue(Number.NaN),
        issue(0.5),
        issue(4, {
          title: 'é'.repeat(300),
          author: person(Number.NaN, '  '),
          createdAt: future,
          updatedAt: Number.NaN,
          dueAt: 1e300,
          pinOrder: 1e300,
          timeEstimate: Number.NaN,
          assets: [
            {
              name: '../../etc/passwd',
              url: 'https://source.test/big',
              kind: 'file',
              downloads: -1,
              createdAt: future,
            },
            { name: 'x', url: 'javascript:alert(1)', kind: 'link', downloads: 0, createdAt: undefined },
          ],
        }),
      ],
      comments: [
        comment(1, 99),
        comment(2, 3, { body: '\0', createdAt: future, updatedAt: 0 }),
        comment(3, Number.NaN),
      ],
      events: [
        { issue: 3, actor: GHOST, createdAt: Number.NaN, kind: 'merge_pull', oid: "'; drop table" },
        { issue: 3, actor: GHOST, createdAt: future, kind: 'add_dependency', other: 99 },
      ],
      times: [
        { id: 1, issue: 99, user: GHOST, seconds: 1, createdAt: 0 },
        { id: 2, issue: 3, user: GHOST, seconds: Number.NaN, createdAt: 0 },
      ],
      dependencies: [
        { issue: 3, dependsOn: 3 },
        { issue: 3, dependsOn: 99 },
      ],
      files: { 'https://source.test/big': `${PNG}${long}` },
    })
    expect(warnings).toEqual([
      'the milestone "Milestone 1" was not imported: there is another one with the key 1',
      'the text of issue 3 was cut to 1048576 characters',
      'the branch of issue 3 was cut',
      'unknown labels of issue 3 were not imported: none',
      'the unknown milestone of issue 3 was not imported',
      'issue 3 was not imported: there is another one with its number',
      'the issue with the number NaN was not imported: its number is invalid',
      'the issue with the number 0.5 was not imported: its number is invalid',
      'times of issue 4 that are in the future were imported as now',
      expect.stringContaining('the file "passwd" of issue 4 was not imported: '),
      'the file "x" of issue 4 was not imported: its address is none',
      'the title of issue 4 was cut',
      'times of comment 2 of issue 3 that are in the future were imported as now',
      'comment 1 was not imported: there is no issue 99',
      'comment 3 was not imported: there is no issue NaN',
      'the tracked time 1 of issue 99 was not imported',
      'the tracked time 2 of issue 3 was not imported',
      'a dependency of issue 3 was not imported: there is no issue 99',
    ])
    const three = await get('/issues/3')
    expect(three).toMatchObject({ title: 'issue 3', labels: [{ name: 'bug' }], milestone: null, comments: 1 })
    expect([three.body.length, three.ref.length]).toEqual([1_048_576, 255])
    const four = await get('/issues/4')
    expect(four).toMatchObject({ original_author: 'Ghost', due_date: null, pin_order: 1, time_estimate: 0, assets: [] })
    expect(Date.parse(four.created_at)).toBeLessThanOrEqual(Date.now())
    expect((await get('/milestones')).map(({ title }: Any) => title)).toEqual(['', 'Milestone 1'])
    expect((await get('/issues/3/timeline')).map(({ type }: Any) => type).toSorted()).toEqual(['comment', 'merge_pull'])
    expect(await get('/issues/3/dependencies')).toEqual([])
  })

  it('are written in steps of at most 100 items', async () => {
    const many = Array.from({ length: 250 }, (_, index) => comment(index + 1, 1))
    const { get, warnings } = await repoWith(
      'many',
      {
        issues: Array.from({ length: 120 }, (_, index) => issue(index + 1)),
        comments: many,
        events: many.map(({ id }) => ({ issue: 1, actor: THEA, createdAt: at(id), kind: 'lock' })) as SourceEvent[],
      },
      true,
    )
    expect(warnings).toEqual([])
    expect((await get('/issues/1')).comments).toBe(250)
    const types = []
    for (let page = 1; page <= 10; page++)
      types.push(...(await get(`/issues/1/timeline?limit=50&page=${page}`)).map(({ type }: Any) => type))
    expect(types.filter((type) => type === 'lock')).toHaveLength(250)
    expect((await get('/issues?limit=50&page=3')).length).toBe(20)
  })
})
