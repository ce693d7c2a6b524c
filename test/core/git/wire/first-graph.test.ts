import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { GitRepo } from '../../../../src/core/git/index.ts'
import { script } from '../fixture.ts'
import { git, tempDir } from './client.ts'
import { allowAll, startWireServer, type WireServer } from './server.ts'

const FILES = 20_000

const dir = tempDir()
let server: WireServer
beforeAll(async () => {
  server = await startWireServer({ dir: dir.path })
})
beforeEach(() => {
  server.policy = allowAll
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

const folderOf = (repo: GitRepo): string => join(repo.path, 'objects/info/commit-graphs')

/** For each file of the chain, whether it has changed-path filters. */
const filtersOf = (repo: GitRepo): boolean[] =>
  readdirSync(folderOf(repo))
    .filter((name) => name.endsWith('.graph'))
    .map((name) => readFileSync(join(folderOf(repo), name)).includes('BDAT'))

/** Pushes a history of three commits with so many files. */
async function pushFiles(name: string, count: number): Promise<GitRepo> {
  const repo = await server.repo(name)
  const work = join(dir.path, `${name}-work`)
  await git(dir.path, ['init', '-q', '--bare', work])
  const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index % 100}/${index}`, `${index}`]))
  const input = script([
    { branch: 'main', files },
    { branch: 'main', files: { a: '1' } },
    { branch: 'main', files: { a: '2' } },
  ])
  await git(work, ['fast-import', '--quiet'], { input })
  await git(work, ['push', '-q', `${server.url}/${name}.git`, 'main'])
  return repo
}

it('writes a commit-graph after the first large push, to which maintenance adds filters', async () => {
  const atReport: boolean[] = []
  server.policy = {
    ...allowAll,
    postReceive: (_, { repo }) => {
      atReport.push(...filtersOf(repo))
      return Promise.resolve([])
    },
  }
  const repo = await pushFiles('large', FILES)
  expect(atReport).toEqual([false])
  await server.git.maintain(repo, 'push')
  expect(filtersOf(repo)).toEqual([true])
  await git(repo.path, ['commit-graph', 'verify'])
  expect(await repo.history.count({ tip: await git(repo.path, ['rev-parse', 'main']), path: 'a' })).toBe(2)
  expect(server.errors).toEqual([])
})

it('leaves small pushes to maintenance', async () => {
  const repo = await pushFiles('small', 200)
  expect(existsSync(folderOf(repo))).toBe(false)
})
