import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commitStream, numbered } from '../../../../test/core/git/diff/diff-fixture.ts'
import { oracle, startWorld, type World } from '../../../../test/core/git/fixture.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import { createReviewDiffs, type ReviewDiffs } from './review-diffs.ts'

describe('diffs for reviews', () => {
  let world: World
  let repo: GitRepo
  let diffs: ReviewDiffs
  let ids: Record<string, string>

  beforeAll(async () => {
    world = await startWorld()
    diffs = createReviewDiffs(world.git)
    repo = await world.repo('sha1')
    const edited = { 13: '13 (edited)', 15: 'fifteen' }
    const commits = [
      { branch: 'main', files: { num: numbered(20) } },
      { branch: 'moved', from: 'main', files: { num: `0\n${numbered(20)}` } },
      { branch: 'first', from: 'main', files: { num: numbered(20, edited) } },
      { branch: 'second', from: 'first', files: { num: `0\n${numbered(20, edited)}`, more: 'm\n' } },
      { branch: 'rebased', from: 'moved', files: { num: `0\n${numbered(20, edited)}` } },
    ]
    oracle(repo.path, ['fast-import', '--quiet'], commitStream(commits))
    ids = Object.fromEntries(commits.map(({ branch }) => [branch, oracle(repo.path, ['rev-parse', branch])]))
  })
  afterAll(() => world.end())

  const span = (base: string, head: string) => ({ base: ids[base]!, head: ids[head]! })

  it('maps positions from one head to the next', async () => {
    const places = [15, 18].map((line) => ({ path: 'num', side: 'new', first: line, last: line }) as const)
    expect(await diffs.mapPositions(repo, span('main', 'first'), span('main', 'second'), places)).toEqual([
      { path: 'num', first: 16, last: 16 },
      { path: 'num', first: 19, last: 19 },
    ])
  })

  it('returns the hunk of a line', async () => {
    expect(await diffs.diffHunkOf(repo, span('main', 'first'), { path: 'num', side: 'new', line: 15 })).toBe(
      '@@ -14,2 +13,3 @@\n+13 (edited)\n 14\n-15\n+fifteen',
    )
  })

  it('returns the commit that last changed a line, else the head', async () => {
    const commitOf = (path: string, side: 'old' | 'new', line: number) =>
      diffs.lineCommitOf(repo, span('main', 'second'), { path, side, line })
    expect(await commitOf('num', 'new', 1)).toBe(ids['second'])
    expect(await commitOf('num', 'new', 16)).toBe(ids['first'])
    expect(await commitOf('num', 'new', 20)).toBe(ids['main'])
    expect(await commitOf('num', 'old', 20)).toBe(ids['second'])
    expect(await commitOf('num', 'new', 99)).toBe(ids['second'])
    expect(await commitOf('missing', 'new', 1)).toBe(ids['second'])
  })

  it('detects whether a push changed the content', async () => {
    const before = span('main', 'first')
    expect(await diffs.isContentChanged(repo, before, before)).toBe(false)
    expect(await diffs.isContentChanged(repo, before, span('main', 'second'))).toBe(true)
    expect(await diffs.isContentChanged(repo, before, span('moved', 'rebased'))).toBe(false)
  })
})
