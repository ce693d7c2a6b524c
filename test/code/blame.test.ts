import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { type CodeRepo, codeRepo } from './code-world.ts'

/** A commit of a fast-import stream; `changes` are its lines. */
const commit = (mark: number, changes: string): string =>
  `commit refs/heads/main\nmark :${mark}\ncommitter T <t@example.test> ${1_700_000_000 + mark} +0000\ndata 1\n${mark}\n${changes}\n`
const inline = (path: string, text: string): string => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`
const ODD = 'odd "name".txt'

/** 1 adds a file, 2 changes its second line, 3 renames it, 4 indents all lines. */
const HISTORY = [
  commit(1, inline('a.txt', 'one\ntwo\nthree\n') + inline(JSON.stringify(ODD), 'x\n')),
  commit(2, inline('a.txt', 'one\n2\nthree\n')),
  commit(3, 'R a.txt b.txt\n'),
  commit(4, inline('b.txt', ' one\n 2\n three\n')),
].join('')

describe.each(['sha1', 'sha256'] as const)('blame in a %s repository', (format) => {
  let server: TestServer
  let ann: Person
  let code: CodeRepo
  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    code = await codeRepo(server, ann, { name: 'code', format, history: HISTORY })
  })
  afterAll(() => server.close())

  const blame = (path: string, query = '') => server.anonymous.get(`${code.path}/blame/${path}${query}`)

  it('names the commit, the earlier path and the line of each range', async () => {
    const { status, json } = await blame('b.txt', '?ref=main~1')
    const [first, second, third] = ['main~3', 'main~2', 'main~1'].map((ref) => code.oid(ref))
    expect(status).toBe(200)
    expect([json.sha, json.path, json.ignored]).toEqual([third, 'b.txt', []])
    expect(json.ranges).toEqual([
      { start: 1, end: 1, sha: first, path: 'a.txt', original_start: 1, previous: null },
      { start: 2, end: 2, sha: second, path: 'a.txt', original_start: 2, previous: { sha: first, path: 'a.txt' } },
      { start: 3, end: 3, sha: first, path: 'a.txt', original_start: 3, previous: null },
    ])
    expect(new Set(json.commits.map(({ sha }: { sha: string }) => sha))).toEqual(new Set([first, second]))
  })

  it('reads some lines, and names that git quotes', async () => {
    const { json } = await blame('b.txt', '?ref=main~1&lines=2,3')
    expect(json.ranges.map(({ start, end }: { start: number; end: number }) => [start, end])).toEqual([
      [2, 2],
      [3, 3],
    ])
    expect((await blame('b.txt', '?lines=2')).json.ranges).toHaveLength(1)
    expect((await blame(encodeURIComponent(ODD))).json.ranges).toMatchObject([{ path: ODD }])
  })

  it('refuses more than 10,000 ranges, and answers for fewer lines of the file', async () => {
    const lines = (isOdd: (index: number) => boolean): string =>
      Array.from({ length: 10_002 }, (_, index) => `${index}${isOdd(index) ? ' changed' : ''}\n`).join('')
    const text = [
      commit(
        1,
        inline(
          'long.txt',
          lines(() => false),
        ),
      ),
      commit(
        2,
        inline(
          'long.txt',
          lines((n) => n % 2 > 0),
        ),
      ),
    ]
    const long = await codeRepo(server, ann, { name: 'long', format, history: text.join('') })
    const refused = await server.anonymous.get(`${long.path}/blame/long.txt`)
    expect(refused.status).toBe(413)
    expect(refused.json.message).toContain('request fewer lines')
    const { json } = await server.anonymous.get(`${long.path}/blame/long.txt?lines=1,10000`)
    expect(json.ranges).toHaveLength(10_000)
  })

  it('skips the commits of .git-blame-ignore-revs', async () => {
    const indents = code.oid('main')
    expect((await blame('b.txt')).json.ranges).toMatchObject([{ start: 1, end: 3, sha: indents }])
    const text = `# formatting\n${indents} # indents\n${'f'.repeat(indents.length)}\nHEAD\n`
    await ann.client.post(`${code.path}/contents/.git-blame-ignore-revs`, {
      content: Buffer.from(text).toString('base64'),
    })
    const { json } = await blame('b.txt')
    expect(json.ignored).toEqual([indents])
    expect(json.ranges.map(({ sha }: { sha: string }) => sha)).not.toContain(indents)
  })

  it.each([
    ['b.txt', '?ref=none', 404],
    ['none.txt', '', 404],
    ['b.txt', '?lines=0,2', 422],
    ['b.txt', '?lines=3,2', 422],
    ['b.txt', '?lines=1,2,3', 422],
    ['b.txt', '?lines=7,9', 422],
  ])('of %s%s is refused with %i', async (path, query, status) => {
    expect((await blame(path, query)).status).toBe(status)
  })
})
