import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANONYMOUS, systemActor, viewerOfAccount, type Viewer } from '../../../../core/access/viewer.ts'
import { asId, type IssueId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { ISSUE_SORTS, type IssueSort } from './issue-filter.ts'
import { createIssueLists, type IssueLists, type RepoListQuery, type SearchQuery } from './lists.service.ts'
import { insertMentions } from '../records/issue-mention.store.ts'
import { findIssueById } from '../records/issue.store.ts'
import { indexText } from '../texts/issue-text.store.ts'
import type { Issue } from '../../index.ts'
import { insertLabel } from '../../../../../test/harness/rows.ts'
import { type Repo, accessQueries } from '../../../repositories/index.ts'
import type { User } from '../../../accounts/index.ts'
import { freshCore, type TestCore } from '../../../../../test/harness/core.ts'
import { describeOnBoth } from '../../../../../test/harness/databases.ts'

/** What a list is compared with: every fact of an issue in memory. */
interface Fact {
  readonly issue: Issue
  readonly repo: Repo
  readonly labels: readonly string[]
  readonly milestone: string
  readonly assignee: string
  readonly mentioned: string
  readonly author: string
  readonly comments: readonly string[]
}

/** Numerical Recipes' generator. */
function dice(seed: number) {
  let state = seed
  const roll = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
  return {
    roll,
    pick: <T>(from: readonly T[]): T => from[roll(from.length)]!,
    chance: (percent: number) => roll(100) < percent,
  }
}

const PIECES = [
  'kettle',
  'Teapot',
  'ÜBER',
  'straße',
  'ΟΔΟΣ',
  'ui',
  'x',
  '100%',
  'a_b',
  'AND',
  'NOT "q"',
  '漢字',
  '😀😁',
  "it's",
  'back\\slash',
  '*',
]
const LABELS = ['bug', 'ui', 'twice']
const MILESTONES = ['v1', 'V2', '']
const START = Date.UTC(2030, 0, 1)
const random = dice(7)

describeOnBoth('lists of issues', (kind) => {
  let db: TestCore
  let lists: IssueLists
  const users: User[] = []
  const repos: Repo[] = []
  const facts: Fact[] = []
  const text = (words: number): string =>
    Array.from({ length: random.roll(words) + 1 }, () => random.pick(PIECES)).join(random.pick([' ', '\n', '']))

  beforeAll(async () => {
    db = await freshCore(kind)
    lists = createIssueLists(db.database)
    for (const name of ['ann', 'bob', 'eve'])
      users.push(
        await db.core.users.create(systemActor, { name, email: `${name}@example.test`, password: 'Corr3ct-horse!' }),
      )
    const [ann, bob] = users as [User, User]
    for (const [owner, name, isPrivate] of [
      [ann, 'a', false],
      [ann, 'b', true],
      [bob, 'c', false],
    ] as const)
      repos.push(await db.core.repos.create(viewerOfAccount(owner), owner, { name, isPrivate }))
    for (const repo of repos) await fillRepo(repo, repo === repos[0] ? 60 : 20)
    await checkCounters()
  }, 120_000)
  afterAll(() => db.close())

  async function fillRepo(repo: Repo, count: number): Promise<void> {
    const owner = users.find(({ id }) => id === repo.ownerId)!
    const labels = await db.database.transaction(async (tx) => {
      const made = new Map<string, number[]>()
      for (const name of [...LABELS, 'twice'])
        made.set(name, [
          ...(made.get(name) ?? []),
          (
            await insertLabel(
              tx,
              { repoId: repo.id },
              { name, color: 'aabbcc', description: '', is_exclusive: 0, archived_at: 0 },
              START,
            )
          ).id,
        ])
      return made
    })
    const milestones = new Map<string, number>()
    for (const title of MILESTONES.filter(Boolean))
      milestones.set(title, (await db.core.milestones.create(systemActor, repo.id, { title })).id)
    for (let i = 0; i < count; i++) await addIssue(repo, owner, { labels, milestones })
  }

  async function addIssue(
    repo: Repo,
    owner: User,
    { labels, milestones }: { labels: Map<string, number[]>; milestones: Map<string, number> },
  ): Promise<void> {
    const author = repo.isPrivate ? owner : random.pick(users)
    const access = { ...(await accessQueries.load(db.database.read, viewerOfAccount(owner), repo)) }
    const names = LABELS.filter(() => random.chance(40))
    const milestone = random.pick(MILESTONES)
    const assignee = random.pick(['', owner.name])
    const mentioned = random.pick(['', ...users.map(({ name }) => name)])
    const { issue: created } = await db.core.issues.create(
      viewerOfAccount(owner),
      { repo, access },
      {
        title: text(3),
        body: random.chance(20) ? '' : text(6),
        ref: '',
        assignees: assignee === '' ? [] : [assignee],
        labelIds: names.flatMap((name) => (name === 'twice' ? labels.get(name)! : [random.pick(labels.get(name)!)])),
        milestoneId: milestone === '' ? undefined : asId(milestones.get(milestone)!),
        dueAt: random.chance(50) ? START + random.roll(10) * 1000 : undefined,
        isClosed: random.chance(40),
      },
    )
    const comments = Array.from({ length: random.roll(3) }, () => text(4))
    const issue = await db.database.transaction(async (tx) => {
      // What other helpers and clients write: several issues have the same times and counts.
      const createdAt = START + random.roll(8) * 1000
      await tx
        .updateTable('issue')
        .set({
          created_at: createdAt,
          updated_at: createdAt + random.roll(5) * 1000,
          comments_count: random.roll(3),
          poster_id: author.id,
        })
        .where('id', '=', created.id)
        .execute()
      await tx.updateTable('issue_label').set({ created_at: createdAt }).where('issue_id', '=', created.id).execute()
      await tx.updateTable('issue_assignee').set({ created_at: createdAt }).where('issue_id', '=', created.id).execute()
      const changed = (await findIssueById(tx, created.id))!
      await insertMentions(
        tx,
        changed,
        users.filter(({ name }) => name === mentioned).map(({ id }) => id),
      )
      for (const [position, comment] of comments.entries())
        await indexText(tx, changed, 1000 * created.id + position, comment)
      return changed
    })
    facts.push({ issue, repo, labels: names, milestone, assignee, mentioned, author: author.name, comments })
  }

  /** The lists take totals from them. */
  async function checkCounters(): Promise<void> {
    for (const repo of repos) {
      const own = facts.filter((fact) => fact.repo === repo)
      const row = await db.database.read
        .selectFrom('repo')
        .selectAll()
        .where('id', '=', repo.id)
        .executeTakeFirstOrThrow()
      expect(row.open_issues_count).toBe(own.filter(({ issue }) => !issue.isClosed).length)
      Object.assign(repo, { openIssuesCount: row.open_issues_count, closedIssuesCount: row.closed_issues_count })
    }
  }

  const fold = (value: string): string => value.toLowerCase().replaceAll('ς', 'σ')
  function matchesText({ issue, comments }: Fact, q: string): boolean {
    const words = q.split(/\s+/).filter(Boolean).map(fold)
    const texts = [issue.title, issue.body, ...comments].map(fold)
    return (
      words.length === 0 ||
      texts.some((each) => words.every((word) => each.includes(word))) ||
      String(issue.number) === q.trim()
    )
  }

  function matches(fact: Fact, query: Pick<RepoListQuery, 'state' | 'since' | 'before' | 'q' | 'createdBy'>): boolean {
    const { issue } = fact
    return (
      (query.state === 'all' || issue.isClosed === (query.state === 'closed')) &&
      (query.since === undefined || issue.updatedAt >= query.since) &&
      (query.before === undefined || issue.updatedAt <= query.before) &&
      (query.createdBy === undefined || fact.author === query.createdBy) &&
      matchesText(fact, query.q)
    )
  }

  const KEYS: Record<IssueSort, (issue: Issue) => number> = {
    latest: () => 0,
    oldest: () => 0,
    recentupdate: (issue) => issue.updatedAt,
    leastupdate: (issue) => issue.updatedAt,
    mostcomment: (issue) => issue.commentsCount,
    leastcomment: (issue) => issue.commentsCount,
    nearduedate: (issue) => issue.dueAt ?? Number.MAX_SAFE_INTEGER,
    farduedate: (issue) => issue.dueAt ?? 0,
  }
  const ASCENDING = new Set<IssueSort>(['oldest', 'leastupdate', 'leastcomment', 'nearduedate'])
  function inOrder(found: readonly Fact[], sort: IssueSort): IssueId[] {
    const compare = (a: Issue, b: Issue): number =>
      KEYS[sort](a) - KEYS[sort](b) || a.createdAt - b.createdAt || a.id - b.id
    const issues = found.map(({ issue }) => issue).toSorted(compare)
    return (ASCENDING.has(sort) ? issues : issues.toReversed()).map(({ id }) => id)
  }

  const maybe = <T>(percent: number, value: () => T): T | undefined => (random.chance(percent) ? value() : undefined)
  /** Words of the texts, parts of them, parts of two of them, and words that occur nowhere. */
  function randomSearch(): string {
    const word = (): string => {
      const piece = [...random.pick([...PIECES, 'missing', 'tea pot'])]
      const from = random.roll(piece.length)
      return piece.slice(from, from + 1 + random.roll(piece.length)).join('')
    }
    return random.chance(15) ? String(random.roll(30)) : Array.from({ length: 1 + random.roll(2) }, word).join(' ')
  }
  const common = () => ({
    state: random.pick(['open', 'closed', 'all'] as const),
    kinds: { issues: true, pulls: random.chance(50) },
    since: maybe(20, () => START + random.roll(8) * 1000),
    before: maybe(20, () => START + random.roll(12) * 1000),
    q: maybe(40, randomSearch) ?? '',
    createdBy: maybe(20, () => random.pick(users).name),
  })
  const name = (user: UserId | undefined): string => users.find(({ id }) => id === user)?.name ?? ''

  it('of a repository are what its issues say, in every order', async () => {
    const repo = repos[0]!
    for (let i = 0; i < 120; i++) {
      const query: RepoListQuery = {
        ...common(),
        labels: LABELS.concat('unknown').filter(() => random.chance(25)),
        milestones: maybe(25, () => [random.pick(['v1', 'V2', 'v2', 'unknown'])]) ?? [],
        assignedBy: maybe(20, () => 'ann'),
        mentionedBy: maybe(20, () => random.pick(users).name),
        sort: random.pick(ISSUE_SORTS),
      }
      const known = query.milestones.filter((title) => ['v1', 'V2'].includes(title))
      const expected = inOrder(
        facts.filter(
          (fact) =>
            fact.repo === repo &&
            matches(fact, query) &&
            query.labels.filter((label) => label !== 'unknown').every((label) => fact.labels.includes(label)) &&
            (known.length === 0 || known.includes(fact.milestone)) &&
            (query.assignedBy === undefined || fact.assignee === query.assignedBy) &&
            (query.mentionedBy === undefined || fact.mentioned === query.mentionedBy),
        ),
        query.sort,
      )
      const paging = { page: 1, limit: 1 + random.roll(12), offset: random.roll(20) }
      const page = await lists.listOf(ANONYMOUS, repo, query, { paging })
      expect(
        page.items.map(({ issue }) => issue.id),
        JSON.stringify(query),
      ).toEqual(expected.slice(paging.offset, paging.offset + paging.limit))
      expect(page.total, JSON.stringify(query)).toBe(expected.length)
    }
  })

  it('of all repositories are those of the ones that the viewer may see', async () => {
    const viewers: Viewer[] = [ANONYMOUS, ...users.map((user) => viewerOfAccount(user))]
    for (let i = 0; i < 120; i++) {
      const viewer = random.pick(viewers)
      const self = viewer.kind === 'user' ? name(viewer.account.id) : undefined
      const query: SearchQuery = {
        ...common(),
        labels: LABELS.concat('unknown').filter(() => random.chance(15)),
        milestones: maybe(25, () => [random.pick(['V1', 'v2', 'unknown'])]) ?? [],
        owner: maybe(30, () => random.pick(users).name),
        team: undefined,
        sort: random.pick(ISSUE_SORTS),
        isCreated: random.chance(20),
        isAssigned: random.chance(15),
        isMentioned: random.chance(15),
        isReviewRequested: false,
        isReviewed: false,
      }
      const labels = query.labels.filter((label) => label !== 'unknown')
      const milestones = query.milestones.filter((title) => title !== 'unknown').map((title) => title.toLowerCase())
      // Eve owns nothing: no label of her repositories is known, and the filter is off.
      const isNothing = query.owner === 'eve'
      const createdBy = query.isCreated && self !== undefined ? self : query.createdBy
      const expected = inOrder(
        facts.filter(
          (fact) =>
            (!fact.repo.isPrivate || self === 'ann') &&
            matches(fact, { ...query, createdBy }) &&
            (query.owner === undefined || name(fact.repo.ownerId) === query.owner) &&
            (labels.length === 0 || labels.some((label) => fact.labels.includes(label))) &&
            (milestones.length === 0 || milestones.includes(fact.milestone.toLowerCase())) &&
            (!query.isAssigned || self === undefined || fact.assignee === self) &&
            (!query.isMentioned || self === undefined || fact.mentioned === self),
        ),
        query.sort,
      )
      const paging = { page: 1, limit: 1 + random.roll(12), offset: random.roll(30) }
      const page = await lists.search(viewer, query, { paging })
      expect(
        page.items.map(({ issue }) => issue.id),
        JSON.stringify({ self, query }),
      ).toEqual(isNothing ? [] : expected.slice(paging.offset, paging.offset + paging.limit))
      expect(page.total, JSON.stringify({ self, query })).toBe(isNothing ? 0 : expected.length)
    }
  })

  it.each(['latest', 'oldest'] as const)('are read to their end by positions, %s first', async (sort) => {
    const query: RepoListQuery = {
      ...common(),
      state: 'all',
      q: '',
      since: undefined,
      before: undefined,
      createdBy: undefined,
      labels: [],
      milestones: [],
      assignedBy: undefined,
      mentionedBy: undefined,
      sort,
    }
    const seen: IssueId[] = []
    for (let after: { createdAt: number; id: number } | undefined, i = 0; i < 30; i++) {
      const page = await lists.listOf(ANONYMOUS, repos[0]!, query, { limit: 7, after })
      seen.push(...page.items.map(({ issue }) => issue.id))
      expect(page.total).toBe(60)
      after = page.next
      if (after === undefined) break
    }
    expect(seen).toEqual(
      inOrder(
        facts.filter(({ repo }) => repo === repos[0]),
        sort,
      ),
    )
  })
})
