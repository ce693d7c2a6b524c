import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GraphThread } from './graph-thread.ts'
import type { GitRepo } from '../../index.ts'
import { createLogger } from '../../../platform/logger.ts'
import { oracle, script, startWorld, type World } from '../../../../../test/core/git/fixture.ts'
import { randomHistory } from '../../../../../test/core/git/random-history.ts'

let world: World
let graph: GraphThread
beforeAll(async () => {
  world = await startWorld()
  graph = new GraphThread(createLogger('silent'))
})
afterAll(() => {
  graph.close()
  world.end()
})

const address = (repo: GitRepo) => ({ path: repo.path, format: repo.objectFormat })
const count = async (of: GraphThread, repo: GitRepo, tip: string): Promise<number | undefined> =>
  (await of.ask(address(repo), 'log', { tip, skip: 0, limit: 0 }))?.total
const linesOf = (text: string): string[] => text.split('\n')

async function linear(count: number): Promise<{ repo: GitRepo; tip: string }> {
  const commits = Array.from({ length: count }, (_, index) => ({ branch: 'main', files: { file: String(index) } }))
  const repo = await world.repo('sha1', script(commits))
  return { repo, tip: oracle(repo.path, ['rev-parse', 'main']) }
}

it('answers questions of several repositories at once, equal ones from one walk', async () => {
  const repos = await Promise.all([linear(30), linear(40)])
  const asked = repos.flatMap(({ repo, tip }) =>
    Array.from({ length: 5 }, () => graph.ask(address(repo), 'log', { tip, path: 'file', skip: 0, limit: 1 })),
  )
  const answers = await Promise.all(asked)
  expect(answers.map((answer) => answer?.total)).toEqual([...Array<number>(5).fill(30), ...Array<number>(5).fill(40)])
})

it.each([
  ['filters', 11],
  ['no filters', 12],
])('continues the log of an earlier tip, also next to another branch, with %s', async (filters, seed) => {
  const repo = await world.repo('sha1', randomHistory({ seed, commits: 60 }))
  if (filters === 'filters') oracle(repo.path, ['commit-graph', 'write', '--reachable', '--changed-paths'])
  for (let number = 1; number < 60; number += 3) {
    const tip = oracle(repo.path, ['rev-parse', `b${number}`])
    for (const path of ['a', 'a/x']) {
      const commits = linesOf(oracle(repo.path, ['rev-list', tip, '--', path]))
      expect(await graph.ask(address(repo), 'log', { tip, path, skip: 0, limit: 99 })).toEqual({
        total: commits.length,
        commits,
      })
    }
  }
})

it('sees commits and graphs that came after its first answer', async () => {
  const { repo, tip } = await linear(5)
  expect(await count(graph, repo, tip)).toBe(5)
  oracle(repo.path, ['fast-import', '--quiet'], script([{ branch: 'main', from: tip, files: { other: 'x' } }]))
  oracle(repo.path, ['repack', '-adq'])
  oracle(repo.path, ['commit-graph', 'write', '--reachable', '--changed-paths'])
  const next = oracle(repo.path, ['rev-parse', 'main'])
  expect(await graph.ask(address(repo), 'first', { tip: next, path: 'file' })).toBe(tip)
  graph.drop(repo.path)
  expect(await count(graph, repo, next)).toBe(6)
})

it.each([
  ['adds to the graph', '--split'],
  ['writes the graph anew', '--split=replace'],
])('keeps its answers when maintenance %s', async (_, split) => {
  const repo = await world.repo('sha1', randomHistory({ seed: 13, commits: 60 }))
  const writeGraph = (): string => oracle(repo.path, ['commit-graph', 'write', '--reachable', '--changed-paths', split])
  const answers = async (tip: string): Promise<unknown[]> => [
    await graph.ask(address(repo), 'log', { tip, path: 'a/x', skip: 0, limit: 99 }),
    await graph.ask(address(repo), 'lastChanges', { commit: tip, directory: 'a' }),
  ]
  writeGraph()
  const from = oracle(repo.path, ['rev-parse', 'b59'])
  const before = await answers(from)
  oracle(repo.path, ['fast-import', '--quiet'], script([{ branch: 'b59', from, files: { 'a/x': 'next' } }]))
  writeGraph()
  const tip = oracle(repo.path, ['rev-parse', 'b59'])
  const commits = linesOf(oracle(repo.path, ['rev-list', tip, '--', 'a/x']))
  graph.drop(repo.path)
  // Without the objects only an answer that is kept can be given.
  const [objects, elsewhere] = ['objects', 'elsewhere'].map((name) => join(repo.path, name)) as [string, string]
  cpSync(join(objects, 'info'), join(elsewhere, 'info'), { recursive: true, preserveTimestamps: true })
  renameSync(objects, `${objects}.kept`)
  renameSync(elsewhere, objects)
  expect(before).not.toContain(undefined)
  expect(await answers(from)).toEqual(before)
  rmSync(objects, { recursive: true })
  renameSync(`${objects}.kept`, objects)
  expect((await answers(tip))[0]).toEqual({ total: commits.length, commits })
})

it.each(['shallow', 'info/grafts'])('leaves a repository with %s to git', async (name) => {
  const { repo, tip } = await linear(5)
  mkdirSync(dirname(join(repo.path, name)), { recursive: true })
  writeFileSync(join(repo.path, name), `${oracle(repo.path, ['rev-parse', 'main~1'])}\n`)
  expect(await count(graph, repo, tip)).toBeUndefined()
  const commits = await repo.history.count({ tip, path: 'file' })
  expect(commits).toBe(Number(oracle(repo.path, ['rev-list', '--count', tip, '--', 'file'])))
  const last = await repo.lastCommits.ofDirectory(tip, '')
  expect([...last]).toEqual([['file', oracle(repo.path, ['log', '-1', '--format=%H', tip, '--', 'file'])]])
})

it('leaves what is missing or damaged to git', async () => {
  const { repo, tip } = await linear(5)
  expect(await count(graph, repo, 'ab'.repeat(20))).toBeUndefined()
  expect(await graph.ask(address(repo), 'log', { tip, path: 'a//b', skip: 0, limit: 1 })).toBeUndefined()
  oracle(repo.path, ['commit-graph', 'write', '--reachable'])
  const file = join(repo.path, 'objects/info/commit-graph')
  rmSync(file, { force: true })
  writeFileSync(file, Buffer.alloc(2000, 1))
  graph.drop(repo.path)
  expect(await count(graph, repo, tip)).toBeUndefined()
})

it('refuses a truncated commit-graph, and reads one with any changed byte without a crash', async () => {
  const { repo, tip } = await linear(12)
  oracle(repo.path, ['commit-graph', 'write', '--reachable', '--changed-paths'])
  const file = join(repo.path, 'objects/info/commit-graph')
  const whole = readFileSync(file)
  for (let length = 0; length < whole.length; length += 97) {
    rmSync(file, { force: true })
    writeFileSync(file, whole.subarray(0, length))
    expect(await count(graph, repo, tip), String(length)).toBeUndefined()
  }
  for (let at = 0; at < whole.length; at += 13) {
    rmSync(file, { force: true })
    const changed = Buffer.from(whole)
    changed[at]! ^= 0xff
    writeFileSync(file, changed)
    const answer = await graph.ask(address(repo), 'log', { tip, path: 'file', skip: 0, limit: 99 })
    expect(answer === undefined || answer.total <= 24, String(at)).toBe(true)
  }
})

it('ends with the server, and then git answers', async () => {
  const { repo, tip } = await linear(5)
  const other = new GraphThread(createLogger('silent'))
  const asked = count(other, repo, tip)
  other.close()
  expect(await asked).toBeUndefined()
  expect(await count(other, repo, tip)).toBeUndefined()
})
