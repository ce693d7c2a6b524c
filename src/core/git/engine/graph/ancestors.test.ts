import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStoreCaches } from '../packs/object-store.ts'
import { answer, type GraphQueries } from './ancestors.ts'
import { RepoView } from './repo-view.ts'
import type { GitRepo, ObjectFormat } from '../../index.ts'
import { oracle, oracleStatus, startWorld, type World } from '../../../../../test/core/git/fixture.ts'
import { randomHistory } from '../../../../../test/core/git/random-history.ts'

const COMMITS = 70
const DIRECTORIES = ['', 'a', 'a/deep', 'b', 'ä', 'missing']
const PATHS = ['a', 'a/x', 'a/deep/z', 'root', 'ä/ö', 'ä', 'deleted', 'top1', 'a/x/none', 'missing']

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const writeGraph = (repo: GitRepo, args: readonly string[], input?: string): string =>
  oracle(repo.path, ['commit-graph', 'write', ...args], input)

/** The ways in which a repository's commits can be stored. */
const STORED: readonly { readonly name: string; store(repo: GitRepo): void | Promise<void> }[] = [
  { name: 'loose, without a graph', store: () => {} },
  { name: 'packed, without a graph', store: (repo) => oracle(repo.path, ['repack', '-adq', '--depth=50']) },
  {
    name: 'packed, with filters',
    store(repo) {
      oracle(repo.path, ['repack', '-adq', '--depth=50'])
      writeGraph(repo, ['--reachable', '--changed-paths'])
    },
  },
  {
    name: 'with a graph of topological levels',
    store: (repo) =>
      oracle(repo.path, ['-c', 'commitGraph.generationVersion=1', 'commit-graph', 'write', '--reachable']),
  },
  {
    name: 'with a chain that lacks the newest',
    store(repo) {
      const old = oracle(repo.path, ['rev-parse', `b${COMMITS - 30}`])
      const newer = oracle(repo.path, ['rev-parse', `b${COMMITS - 10}`])
      writeGraph(repo, ['--split=no-merge', '--changed-paths', '--stdin-commits'], `${old}\n`)
      writeGraph(repo, ['--split=no-merge', '--changed-paths', '--stdin-commits'], `${newer}\n`)
    },
  },
]

/** What git said of each history: it does not depend on how that is stored. */
const said = new Map<string, unknown>()

async function opened(format: ObjectFormat, seed: number, store: (repo: GitRepo) => void | Promise<void>) {
  const repo = await world.repo(format, randomHistory({ seed, commits: COMMITS, isSkewed: seed % 2 === 0 }))
  await store(repo)
  // Little room for objects, so that trees in use are next to be overwritten.
  const view = new RepoView(repo.path, format, { caches: createStoreCaches(1 << 20, 1 << 11) })
  const once =
    <T>(ask: (path: string, args: readonly string[]) => T) =>
    (...args: string[]): T => {
      const key = JSON.stringify([ask.name, format, seed, ...args])
      if (!said.has(key)) said.set(key, ask(repo.path, args))
      return said.get(key) as T
    }
  return { repo, view, git: once(oracle), gitStatus: once(oracleStatus), ask: askerOf(view) }
}

function askerOf(view: RepoView) {
  return <K extends keyof GraphQueries>(kind: K, query: GraphQueries[K]['query']): GraphQueries[K]['answer'] => {
    const walk = answer(view, kind, query)
    for (;;) {
      const step = walk.next()
      if (step.done) return step.value
    }
  }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))

describe.each(STORED)('commits $name', ({ store }) => {
  it.each([
    ['sha1', 2],
    ['sha256', 3],
  ] as const)('find the last change of every entry as git log -1 does (%s, %i)', async (format, seed) => {
    const { view, git, gitStatus, ask } = await opened(format, seed, store)
    for (const branch of [`b${COMMITS >> 1}`, `b${COMMITS - 1}`]) {
      const commit = git('rev-parse', branch)
      for (const directory of DIRECTORIES) {
        const found = ask('lastChanges', { commit, directory })
        const tree = directory === '' ? commit : `${commit}:${directory}`
        const names =
          gitStatus('cat-file', '-e', tree) === 0
            ? linesOf(git('ls-tree', '-z', '--name-only', tree).replaceAll('\0', '\n').trimEnd())
            : []
        const expected = names.map((name) => [
          name,
          git('log', '-1', '--format=%H', commit, '--', join(directory, name)),
        ])
        expect(Object.fromEntries(found), `${branch} ${directory}`).toEqual(Object.fromEntries(expected))
      }
    }
    view.close()
  })

  it.each([
    ['sha1', 4],
    ['sha256', 5],
  ] as const)('list and count what git log lists (%s, %i)', async (format, seed) => {
    const { view, git, ask } = await opened(format, seed, store)
    const tips = [`b${COMMITS - 2}`, `b${COMMITS - 1}`].map((branch) => git('rev-parse', branch))
    const time = Number(git('log', '-1', '--format=%ct', tips[0]!))
    for (const tip of tips) {
      for (const path of PATHS) {
        const expected = linesOf(git('rev-list', tip, '--', path))
        expect(ask('log', { tip, path, skip: 2, limit: 5 }), path).toEqual({
          total: expected.length,
          commits: expected.slice(2, 7),
        })
        expect(ask('first', { tip, path })).toBe(expected[0] ?? '')
      }
      const since = linesOf(git('rev-list', `--max-age=${time}`, tip))
      expect(ask('log', { tip, since: time, skip: 0, limit: 999 }).commits).toEqual(since)
      const until = linesOf(git('rev-list', `--min-age=${time}`, tip, '--', 'a'))
      expect(ask('log', { tip, until: time, path: 'a', skip: 0, limit: 999 }).commits).toEqual(until)
      const all = linesOf(git('rev-list', tip))
      expect(ask('log', { tip, skip: 0, limit: 99 })).toEqual({ total: all.length, commits: all })
    }
    view.close()
  })

  it.each([
    ['sha1', 6],
    ['sha256', 7],
  ] as const)('relate two histories as git does (%s, %i)', async (format, seed) => {
    const { view, git, gitStatus, ask } = await opened(format, seed, store)
    const oids = [1, 2, 9, 33, 48].map((back) => git('rev-parse', `b${COMMITS - back}`))
    const histories = new Map(oids.map((oid) => [oid, linesOf(git('rev-list', oid))]))
    for (const left of oids) {
      for (const right of oids.filter((oid) => oid !== left)) {
        // NOTE: not `left ^right`, of which git lists too many commits when clocks were wrong.
        const missing = histories.get(left)!.filter((oid) => !histories.get(right)!.includes(oid))
        const page = ask('difference', { tip: left, not: [right], skip: 0, limit: 999 })
        expect(page).toEqual({ total: missing.length, commits: missing })
        const bases = git('merge-base', '--all', left, right).split('\n')
        if (bases.length === 1) expect(ask('mergeBases', { left, right })).toEqual(bases)
      }
      const inside = oids.filter((oid) => gitStatus('merge-base', '--is-ancestor', oid, left) === 0)
      expect(ask('within', { base: left, tips: oids })).toEqual(inside)
    }
    view.close()
  })
})
