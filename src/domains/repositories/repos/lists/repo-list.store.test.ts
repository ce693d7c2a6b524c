import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANONYMOUS, type Viewer } from '../../../../core/access/viewer.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import { listRepos, type RepoFilter } from './repo-list.store.ts'
import { type RepoOrder } from './repo-order.ts'
import { insertRepo, insertUser } from '../../../../../test/harness/rows.ts'
import { findUserById } from '../../../accounts/users/user.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../../test/harness/databases.ts'
import { viewerOf } from '../../../../../test/harness/world.ts'

interface Row {
  readonly id: number
  readonly owner: UserId
  readonly name: string
  readonly description: string
  readonly topics: readonly string[]
  readonly isPrivate: boolean
}

// Likely failures: short words, wildcards of LIKE, quotes, case, letters beyond ASCII.
const NAMES = ['a', 'ab', 'under_score', 'Under-Score', 'UPPER.case', 'x.y', 'listed-1', 'Listed-11', 'lists', 'parser']
const DESCRIPTIONS = [
  '',
  '100% sure',
  'snake_case',
  "it's",
  'say "hi"',
  String.raw`back\slash`,
  'Straße',
  'Кот',
  'a parser of lists',
]
const TOPICS = [[], ['parser'], ['lists', 'c-lang'], ['a']]
const WORDS = [
  'a',
  'ab',
  'e',
  '_',
  '%',
  '-1',
  'LISTED',
  'under_score',
  "it's",
  '"',
  String.raw`\s`,
  'Straße',
  'Кот',
  'pars',
  'parser',
  'c-lang',
  'zzz',
  '[',
  '","',
]
const SMALL = 7

describeOnBoth('search of repositories', (kind) => {
  let db: TestDatabase
  let rows: Row[]
  let owners: UserId[]
  beforeAll(async () => {
    db = await freshDatabase(kind)
    ;({ rows, owners } = await fill(db))
  })
  afterAll(() => db.close())

  const seen = async (viewer: Viewer): Promise<Row[]> =>
    rows.filter(
      (row) =>
        !row.isPrivate || (viewer.kind === 'user' && (viewer.account.isAdmin || viewer.account.id === row.owner)),
    )
  const viewers = async (): Promise<Viewer[]> => [
    ANONYMOUS,
    ...(await Promise.all(owners.map(async (id) => viewerOf((await findUserById(db.database.read, id))!)))),
  ]

  it.each(WORDS)('finds by %s the same rows as a full scan, on every page', async (word) => {
    for (const viewer of await viewers()) {
      for (const [onlyTopics, descriptions] of [
        [false, false],
        [false, true],
        [true, false],
      ] as const) {
        const filter: RepoFilter = { keywords: { words: [word], onlyTopics, descriptions } }
        const expected = (await seen(viewer))
          .filter((row) => fits(row, word, { onlyTopics, descriptions }))
          .map((row) => row.id)
        expect(await allPages(viewer, filter, { by: 'id', direction: 'asc' })).toEqual(expected)
      }
    }
  })

  it('pages through every order', async () => {
    for (const viewer of await viewers()) {
      const byName = (await seen(viewer)).toSorted(
        (a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || a.id - b.id,
      )
      expect(await allPages(viewer, {}, { by: 'name', direction: 'asc' })).toEqual(byName.map((row) => row.id))
      const backwards = (await seen(viewer)).map((row) => row.id).toReversed()
      expect(await allPages(viewer, {}, { by: 'id', direction: 'desc' })).toEqual(backwards)
      expect(await allPages(viewer, {}, { by: 'created', direction: 'desc' })).toEqual(backwards)
    }
  })

  async function allPages(viewer: Viewer, filter: RepoFilter, order: RepoOrder): Promise<number[]> {
    const { read } = db.database
    const found: number[] = []
    const totals = new Set<number>()
    for (let page = 1; ; page++) {
      const paging: Paging = { page, limit: SMALL, offset: (page - 1) * SMALL }
      const { items, total } = await listRepos(read, viewer, { filter, order }, paging)
      found.push(...items.map((repo) => repo.id))
      totals.add(total)
      if (items.length === 0) break
    }
    expect([...totals]).toEqual([found.length])
    return found
  }
})

function fits(
  row: Row,
  word: string,
  { onlyTopics, descriptions }: { readonly onlyTopics: boolean; readonly descriptions: boolean },
): boolean {
  const lower = word.toLowerCase()
  if (onlyTopics) return row.topics.includes(lower)
  const inTopics = row.topics.some((topic) => topic.includes(lower))
  const inDescription =
    descriptions && (row.description.toLowerCase().includes(lower) || row.description.includes(word))
  return row.name.toLowerCase().includes(lower) || inTopics || inDescription
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function fill({ database }: TestDatabase): Promise<{ rows: Row[]; owners: UserId[] }> {
  return database.transaction(async (tx) => {
    const owners: UserId[] = []
    for (const name of ['ann', 'bob'])
      owners.push(
        await insertUser(tx, {
          kind: 'individual',
          name,
          lower_name: name,
          email: `${name}@example.test`,
          created_at: 1,
          updated_at: 1,
        }),
      )
    owners.push(
      await insertUser(tx, {
        kind: 'individual',
        name: 'root',
        lower_name: 'root',
        email: 'root@example.test',
        is_admin: 1,
        created_at: 1,
        updated_at: 1,
      }),
    )
    const rows: Row[] = []
    for (const [i, base] of [...NAMES, ...NAMES, ...NAMES].entries()) {
      const row = {
        owner: owners[i % 2]!,
        name: `${base}-${i}`,
        description: DESCRIPTIONS[i % DESCRIPTIONS.length]!,
        topics: TOPICS[i % TOPICS.length]!,
        isPrivate: i % 5 === 0,
      }
      const id = await insertRepo(tx, {
        owner_id: row.owner,
        name: row.name,
        lower_name: row.name.toLowerCase(),
        description: row.description,
        topics: JSON.stringify(row.topics),
        is_private: row.isPrivate ? 1 : 0,
        default_branch: 'main',
        wiki_branch: 'main',
        object_format: 'sha1',
        storage: `s/${i}`,
        units: 1,
        created_at: i,
        updated_at: 1000 - i,
      })
      rows.push({ ...row, id })
    }
    return { rows, owners }
  })
}
