import { afterAll, beforeAll, expect, it } from 'vitest'
import type { GitRepo, MergeOutcome, MergeStyle } from '../../../src/core/git/index.ts'
import { FORMATS, oracle, startWorld, type World } from './fixture.ts'
import { twoBranches, type WorkTree, workTree } from './merge-worlds.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const who = { name: 'Mo', email: 'mo@example.com', time: 1_700_000_000, offset: 0 }

const build = (repo: GitRepo, style: MergeStyle, tips: { base: string; head: string }): Promise<MergeOutcome> =>
  repo.writing(() =>
    repo.merges.build({
      style,
      ...tips,
      commit: async (writer, made) => writer.commit({ ...made, author: who, committer: who, message: 'done\n' }),
      replaying: { committer: who },
    }),
  )

/** What real git makes of it: the tree of its result, or `conflict`. */
function byGit(work: WorkTree, style: 'squash' | 'rebase', head: string): string {
  const rebase = ['-c', 'advice.skippedCherryPicks=false', 'rebase', '-q']
  if (style === 'rebase') {
    const base = work.git('rev-parse', 'HEAD')
    work.git('checkout', '-q', '--detach', head)
    if (work.try(...rebase, base) !== 0) return 'conflict'
    if (work.git('rev-parse', 'HEAD') === base) return 'nothing'
    return work.git('rev-parse', 'HEAD^{tree}')
  }
  return work.try('merge', '-q', '--squash', head) === 0 ? work.git('write-tree') : 'conflict'
}

const treeOf = (outcome: MergeOutcome): string => (outcome.kind === 'built' ? outcome.tree : outcome.kind)

const SEEDS = Array.from({ length: 30 }, (_, index) => index + 1)

it.each(SEEDS)('computes the trees that git computes, random history %i', { timeout: 120_000 }, async (seed) => {
  const format = FORMATS[seed % 2]!
  const repo = await world.repo(format, twoBranches(seed, 6 + (seed % 9)))
  const tips = { base: oracle(repo.path, ['rev-parse', 'base']), head: oracle(repo.path, ['rev-parse', 'head']) }
  const checked = await repo.writing(() => repo.merges.tryMerge(tips.base, tips.head))
  const real = await repo.writing(() => repo.merges.mergeTrees(tips.base, tips.head))
  expect(checked.conflicts).toEqual(real.conflicts)
  if (real.conflicts.length === 0) expect(checked.tree).toBe(real.tree)
  const isContained = oracle(repo.path, ['rev-list', '--count', `${tips.base}..${tips.head}`]) === '0'
  const expected = (style: 'squash' | 'rebase'): string => {
    const work = workTree(repo.path, tips.base)
    try {
      return byGit(work, style, tips.head)
    } finally {
      work.end()
    }
  }
  // A merge has the tree of a squash.
  const [squashed, rebased] = isContained ? ['nothing', 'nothing'] : [expected('squash'), expected('rebase')]
  for (const style of ['merge', 'squash', 'rebase', 'rebase-merge'] as const) {
    const outcome = await build(repo, style, tips)
    expect([style, treeOf(outcome)]).toEqual([style, style.startsWith('rebase') ? rebased : squashed])
    if (outcome.kind === 'built') expect(oracle(repo.path, ['cat-file', '-t', outcome.commit])).toBe('commit')
  }
  expect(oracle(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe('')
})
