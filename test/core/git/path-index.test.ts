import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GraphThread } from '../../../src/core/git/engine/graph/graph-thread.ts'
import { readPathIndexFile } from '../../../src/core/git/engine/graph/paths/path-index.ts'
import type { GitRepo } from '../../../src/core/git/index.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { oracle, script, startWorld, type World } from './fixture.ts'
import { indexPaths, viewOf } from './index-paths.ts'
import { randomHistory } from './random-history.ts'

const PATHS = ['a', 'a/x', 'a/deep/z', 'root', 'ä/ö', 'deleted', 'top1', 'missing']

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

const folder = (repo: GitRepo): string => join(repo.path, 'objects/info/commit-graphs')
const indexes = (repo: GitRepo): string[] => readdirSync(folder(repo)).filter((name) => !/graph/.test(name))
const addressed = (repo: GitRepo): string[] =>
  readFileSync(join(folder(repo), 'commit-graph-chain'), 'latin1')
    .trim()
    .split('\n')
    .map((hash) => `changed-${hash}.paths`)
const writeGraph = (repo: GitRepo): string =>
  oracle(repo.path, ['commit-graph', 'write', '--reachable', '--changed-paths', '--split=no-merge'])
const tipOf = (repo: GitRepo, branch: string): string => oracle(repo.path, ['rev-parse', branch])

async function indexed(seed: number): Promise<GitRepo> {
  const repo = await world.repo('sha1', randomHistory({ seed, commits: 50 }))
  writeGraph(repo)
  await indexPaths(repo)
  return repo
}

/** The log of a path, and only the totals of all. */
async function ask(repo: GitRepo, tip: string, path: string): Promise<readonly string[] | undefined> {
  const address = { path: repo.path, format: repo.objectFormat }
  return (await graph.ask(address, 'log', { tip, path, skip: 0, limit: 999 }))?.commits
}

function listed(repo: GitRepo, tip: string, path: string): string[] {
  const text = oracle(repo.path, ['rev-list', tip, '--', path])
  return text === '' ? [] : text.split('\n')
}

it('is all that a log needs, and is named by the file of the graph', async () => {
  const repo = await indexed(21)
  expect(indexes(repo)).toEqual(addressed(repo))
  const tip = tipOf(repo, 'b49')
  const expected = PATHS.map((path) => listed(repo, tip, path))
  for (const name of readdirSync(join(repo.path, 'objects')).filter((name) => name !== 'info'))
    renameSync(join(repo.path, 'objects', name), join(repo.path, name))
  for (const [index, path] of PATHS.entries()) expect(await ask(repo, tip, path), path).toEqual(expected[index])
})

it('is completed by later runs and is right for the commits that it covers', async () => {
  const repo = await world.repo('sha1', randomHistory({ seed: 22, commits: 50, isSkewed: true }))
  writeGraph(repo)
  const tip = tipOf(repo, 'b48')
  const expected = PATHS.map((path) => listed(repo, tip, path))
  const covered: number[] = []
  for (let run = 0; run < 60 && covered.at(-1) !== 50; run += 12) {
    for (let more = 0; more < 12; more++) await indexPaths(repo, { maxMs: 0 })
    const view = viewOf(repo)
    const part = view.graph!.parts[0]!
    const file = readPathIndexFile(view.directories, part)!
    covered.push(Array.from({ length: part.count }, (_, commit) => file.isCovered(commit)).filter(Boolean).length)
    view.close()
    for (const [index, path] of PATHS.entries()) expect(await ask(repo, tip, path), path).toEqual(expected[index])
  }
  expect(covered[0]).toBeLessThan(50)
  expect(covered.at(-1)).toBe(50)
})

it('is not read when any byte of it changed or is missing, which the check tells', async () => {
  const repo = await indexed(23)
  const tip = tipOf(repo, 'b49')
  const expected = listed(repo, tip, 'a/x')
  const check = () => world.git.check({ storage: repo.storage, objectFormat: 'sha1' }, 'reachable')
  expect(await check()).toEqual([])
  const file = join(folder(repo), indexes(repo)[0]!)
  const whole = readFileSync(file)
  for (let at = 0; at < whole.length; at += 97) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 0x21
    for (const bytes of [changed, whole.subarray(0, at)]) {
      rmSync(file)
      writeFileSync(file, bytes)
      graph.drop(repo.path)
      expect(await ask(repo, tip, 'a/x')).toEqual(expected)
    }
  }
  expect(await check()).toEqual([expect.stringContaining(indexes(repo)[0]!)])
})

it('is found out by the check when it says something else than the trees', async () => {
  const repo = await indexed(24)
  const file = join(folder(repo), indexes(repo)[0]!)
  const body = readFileSync(file).subarray(0, -4)
  const at = body.lastIndexOf('root')
  body[at + 'root'.length]! ^= 4
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  rmSync(file)
  writeFileSync(file, Buffer.concat([body, sum]))
  const found = await world.git.check({ storage: repo.storage, objectFormat: 'sha1' }, 'everything')
  expect(found).toEqual([expect.stringContaining('does not fit the commits')])
})

it('is written by maintenance for each file of the graph and deleted with it', async () => {
  const large = { branch: 'main', files: { large: randomBytes(1024 * 1024).toString('hex') } }
  const small = Array.from({ length: 1_000 }, (_, index) => ({
    branch: 'main',
    files: { [`wide/file${index % 40}`]: String(index) },
  }))
  const repo = await world.repo('sha1', script([large, ...small]))
  writeFileSync(join(folder(repo), '../last-changes.json'), '{}', { flag: 'w' })
  await world.git.maintain(repo, 'push')
  const [first] = indexes(repo)
  oracle(repo.path, ['fast-import', '--quiet'], script([{ branch: 'main', from: 'main^0', files: { other: 'x' } }]))
  await world.git.maintain(repo, 'push')
  expect(indexes(repo).toSorted()).toEqual(addressed(repo).toSorted())
  expect(indexes(repo)).toHaveLength(2)
  expect(indexes(repo)).toContain(first)
  rmSync(folder(repo), { recursive: true })
  oracle(repo.path, ['commit-graph', 'write', '--reachable', '--split=replace'])
  writeFileSync(join(folder(repo), first!), 'of a file that is gone')
  await world.git.maintain(repo, 'push')
  expect(indexes(repo)).toEqual(addressed(repo))
  expect(readdirSync(join(repo.path, 'objects/info'))).not.toContain('last-changes.json')
})
