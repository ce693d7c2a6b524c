import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GraphThread } from '../../src/git/engine/graph/graph-thread.ts'
import { SAVED_CHANGES_FILE } from '../../src/git/engine/graph/saved-changes.ts'
import type { GitRepo } from '../../src/git/index.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { oracle, script, startWorld, type World } from './fixture.ts'

const COMMITS = 5_100
const FILES = 40

let world: World
let repo: GitRepo
beforeAll(async () => {
  world = await startWorld()
  const large = { branch: 'main', files: { large: randomBytes(1024 * 1024).toString('hex') } }
  const small = Array.from({ length: COMMITS }, (_, index) => ({
    branch: 'main',
    files: { [`wide/file${index % FILES}`]: String(index) },
  }))
  repo = await world.repo('sha1', script([large, ...small]))
  await world.git.maintain(repo, 'push')
})
afterAll(() => world.end())

const tip = (): string => oracle(repo.path, ['rev-parse', 'main'])
const file = (): string => join(repo.path, SAVED_CHANGES_FILE)

async function askAnew(commit: string): Promise<Record<string, string>> {
  const graph = new GraphThread(createLogger('silent'))
  const { path, objectFormat } = repo
  const found = await graph.ask({ path, format: objectFormat }, 'lastChanges', { commit, directory: 'wide' })
  graph.close()
  return Object.fromEntries(found ?? [])
}

function expected(commit: string): Record<string, string> {
  const names = oracle(repo.path, ['ls-tree', '--name-only', `${commit}:wide`]).split('\n')
  return Object.fromEntries(
    names.map((name) => [name, oracle(repo.path, ['rev-list', '-1', commit, '--', `wide/${name}`])]),
  )
}

it('is written by maintenance and built on after a push', async () => {
  const before = tip()
  const branch = { branch: 'side', from: before, files: { 'wide/file1': 'side' } }
  const merge = { branch: 'main', from: before, merge: [':1'], files: { 'wide/file1': 'side', 'wide/file2': 'merge' } }
  oracle(repo.path, ['fast-import', '--quiet'], script([branch, merge]))
  for (const commit of [before, tip(), `${oracle(repo.path, ['rev-parse', `${before}~10`])}`])
    expect(await askAnew(commit)).toEqual(expected(commit))
})

it('is what a new process answers by', async () => {
  const commit = oracle(repo.path, ['rev-parse', 'main~1'])
  const saved = JSON.parse(readFileSync(file(), 'utf8')) as { directories: Record<string, [string, number][]> }
  expect(Object.keys(saved.directories)).toEqual(['wide'])
  const [, number] = saved.directories['wide']!.find(([name]) => name === 'file3')!
  const changed = saved.directories['wide']!.map(([name, own]) => [name, name === 'file4' ? number : own])
  writeFileSync(file(), JSON.stringify({ ...saved, directories: { wide: changed } }))
  const found = await askAnew(commit)
  expect(found['file4']).toBe(found['file3'])
})

it.each(['', '{', '{"commit":"00","commits":[],"directories":{}}'])(
  'is not used when it is damaged: %j',
  async (text) => {
    writeFileSync(file(), text)
    expect(await askAnew(tip())).toEqual(expected(tip()))
  },
)
