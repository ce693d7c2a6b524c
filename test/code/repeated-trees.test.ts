import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tempDir } from '../core/git/wire/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { MEASURED } from '../harness/measured.ts'

const WIDTH = 10

/**
 * Creates a commit of a dozen objects whose tree has 10^depth files: every directory contains the one below ten times.
 */
async function makeBomb(work: string, depth: number): Promise<void> {
  const blob = await git(work, ['hash-object', '-w', '--stdin'], { input: 'x\n' })
  const tenTimes = (line: string): string => Array.from({ length: WIDTH }, (_, index) => `${line}${index}\n`).join('')
  let tree = await git(work, ['mktree'], { input: tenTimes(`100644 blob ${blob}\tf`) })
  for (let level = 1; level < depth; level++)
    tree = await git(work, ['mktree'], { input: tenTimes(`040000 tree ${tree}\td`) })
  const commit = await git(work, ['commit-tree', '-m', 'bomb', tree])
  await git(work, ['update-ref', 'refs/heads/main', commit])
}

/** The number of entries of such a tree, including directories. */
const entriesOf = (depth: number): number =>
  Array.from({ length: depth }, (_, level) => WIDTH ** (level + 1)).reduce((sum, count) => sum + count)

const dir = tempDir()
let server: TestServer
let ann: Person
beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

const workOf = (name: string): string => join(dir.path, name)

/** Pushes such a tree to a new repository and returns the path of the repository. */
async function pushed(name: string, format: 'sha1' | 'sha256', depth: number): Promise<string> {
  const work = workOf(name)
  await git(dir.path, ['init', '-q', '-b', 'main', `--object-format=${format}`, work])
  await makeBomb(work, depth)
  await server.world.repo({ owner: ann, name, objectFormat: format, defaultBranch: 'main' })
  await git(work, [
    'push',
    '-q',
    `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/${name}.git`,
    'main',
  ])
  return `/repos/ann/${name}`
}

describe.each(['sha1', 'sha256'] as const)(
  'trees that contain each other many times over in a %s repository',
  (format) => {
    let path: string
    beforeAll(async () => {
      path = await pushed(`bomb-${format}`, format, 9)
    })

    it('are pushed, and read in pages, with little memory', MEASURED, async () => {
      const before = process.memoryUsage.rss()
      const first = await server.anonymous.get(`${path}/git/trees/main?recursive=1&per_page=3`)
      expect([first.json.total_count, first.json.truncated]).toEqual([entriesOf(9), true])
      expect(first.json.tree.map((entry: { path: string }) => entry.path)).toEqual(['d0', 'd0/d0', 'd0/d0/d0'])
      const last = Math.ceil(entriesOf(9) / 1000)
      const end = await server.anonymous.get(`${path}/git/trees/main?recursive=1&page=${last}`)
      expect([end.json.tree.length, end.json.truncated, end.json.tree.at(-1).path]).toEqual([
        entriesOf(9) - (last - 1) * 1000,
        false,
        'd9/d9/d9/d9/d9/d9/d9/d9/f9',
      ])
      expect((await server.anonymous.get(`${path}/contents`)).json).toHaveLength(WIDTH)
      expect((await server.anonymous.get(`${path}/contents/d0/d1/d2`)).json).toHaveLength(WIDTH)
      expect((await server.anonymous.get(`${path}/commits?stat=false&files=false`)).json).toHaveLength(1)
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
    })

    it('are listed exactly if the list is merely long', async () => {
      const long = await pushed(`long-${format}`, format, 5)
      const all = (await git(workOf(`long-${format}`), ['ls-tree', '-r', '-t', '--name-only', 'main'])).split('\n')
      expect(all).toHaveLength(entriesOf(5))
      for (const page of [1, 2, 37, 111, 112, 113]) {
        const { json } = await server.anonymous.get(`${long}/git/trees/main?recursive=1&per_page=1000&page=${page}`)
        expect(
          json.tree.map((entry: { path: string }) => entry.path),
          String(page),
        ).toEqual(all.slice((page - 1) * 1000, page * 1000))
        expect(json.truncated).toBe(page * 1000 < all.length)
      }
    })
  },
)

describe('trees that contain each other many times over', () => {
  let path: string
  beforeAll(async () => {
    path = await pushed('refused', 'sha1', 9)
  })

  it('are rejected with a message when their differences are requested', async () => {
    for (const address of ['git/commits/main.diff', 'git/commits/main.patch']) {
      const refused = await server.anonymous.get(`${path}/${address}`)
      expect(refused, address).toMatchObject({ status: 413, json: { message: expect.stringContaining('too much') } })
      expect(refused.headers.get('content-type'), address).toContain('application/json')
    }
    expect((await server.anonymous.get(`${path}/git/commits/main`)).json).toMatchObject({ stats: null, files: null })
  }, 120_000)

  it('cannot be a template that lists its files', async () => {
    expect(
      (
        await ann.client.post(`${path}/contents/.gitea/template`, {
          content: Buffer.from('**/*.md').toString('base64'),
        })
      ).status,
    ).toBe(201)
    expect((await ann.client.patch(path, { template: true })).status).toBe(200)
    const made = await ann.client.post(`${path}/generate`, { owner: 'ann', name: 'made', git_content: true })
    expect(made).toMatchObject({
      status: 422,
      json: { message: 'the template cannot be expanded: it has too many files' },
    })
  })
})
