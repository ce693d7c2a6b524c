import { beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { PASSWORD } from '../harness/world.ts'
import { oracle, oracleBytes } from '../core/git/fixture.ts'
import { git, tempDir } from '../core/git/wire/client.ts'
import { createPull, pullWorld } from './pull-world.ts'

const REPO = 'ann/hostile'
const PULLS = `/repos/${REPO}/pulls`
/** Names as bytes, one per character: fast-import reads them quoted. */
const PATHS = [
  'new\nline',
  'quo"te\\slash',
  'tab\t',
  '\xff\xfe not UTF-8',
  '-rf',
  ':(glob)*',
  '%2e%2e',
  '..hidden',
  '"a/b"',
  'diff --git a/x b',
  'n'.repeat(4096),
  `${'d'.repeat(200)}/`.repeat(19) + 'f',
]
const GITLINKS = ['1', '2', '3'].map((digit) => digit.repeat(40))
const STYLES = ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only']

const quoted = (path: string): string =>
  `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`
const file = (path: string, text = `${path.length}\n`): string =>
  `M 100644 inline ${quoted(path)}\ndata ${text.length}\n${text}\n`

/** Commits of one second each, as bytes. */
function history(): Buffer {
  let time = 1_700_000_000
  const commit = (branch: string, parents: readonly string[], changes = ''): string => {
    const [first, ...others] = parents
    const from = first === undefined ? '' : `from ${first}\n${others.map((other) => `merge ${other}\n`).join('')}`
    const name = `refs/heads/${branch}`
    const reset = `reset ${name}\n${first === undefined ? '' : `from ${first}\n`}\n`
    return `${reset}commit ${name}\ncommitter C <c@example.com> ${time++} +0000\ndata 2\nc\n${from}${changes}\n`
  }
  const of = (branch: string): string => `refs/heads/${branch}`
  const link = (oid: string): string => `M 160000 ${oid} sub\n`
  const names = ['main', ...STYLES.map((style) => `base-${style}`)]
  const ten = (...changed: number[]): string =>
    file('ten', Array.from({ length: 10 }, (_, n) => `line ${n}${changed.includes(n) ? ' changed' : ''}\n`).join(''))
  const parts = [
    commit('first', [], ten() + file('moved', 'the same text\nin both\nbranches\n') + link(GITLINKS[0]!)),
    ...names.map((name) => commit(name, [of('first')], file('main'))),
    commit('paths', [of('first')], PATHS.map((path) => file(path)).join('')),
    commit('unrelated', [], file('unrelated')),
    commit('empty', [of('first')]),
    commit('renames-base', [of('first')], 'R moved "to base"\n'),
    commit('renames-head', [of('first')], 'R moved "to head"\n'),
    commit('links-base', [of('first')], link(GITLINKS[1]!)),
    commit('links-head', [of('first')], link(GITLINKS[2]!)),
    commit('file-base', [of('first')], file('thing')),
    commit('file-head', [of('first')], file('thing/inside')),
    // Each of the last two merges the other's former tip: they have two merge bases.
    commit('x1', [of('first')], ten(1)),
    commit('y1', [of('first')], ten(8)),
    commit('cross-base', [of('x1'), of('y1')], ten(1, 8) + file('on base')),
    commit('cross-head', [of('y1'), of('x1')], ten(1, 8, 4) + file('on head')),
    ...['o1', 'o2', 'o3', 'o4'].map((name) => commit(name, [of('first')], file(name))),
    commit('octopus', ['o1', 'o2', 'o3', 'o4'].map(of), ['o2', 'o3', 'o4'].map((name) => file(name)).join('')),
  ]
  return Buffer.from(parts.join(''), 'latin1')
}

describeOnBoth('pull requests of hostile histories', (kind) => {
  const world = pullWorld({ on: kind })
  let path = ''

  beforeAll(async () => {
    const { ann, server } = world
    const repo = await server.world.repo({ owner: ann, name: 'hostile', defaultBranch: 'main' })
    path = server.app.git.path(repo.storage)
    const folder = tempDir()
    try {
      await git(folder.path, ['init', '-q', '--bare'])
      oracle(folder.path, ['fast-import', '--quiet'], history())
      const remote = `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/${REPO}.git`
      await git(folder.path, ['push', '-q', remote, 'refs/heads/*:refs/heads/*'])
    } finally {
      folder.remove()
    }
  })

  const open = async (head: string, base = 'main'): Promise<Any> => createPull(world.ann, { head, base }, REPO)
  const get = (number: number, what = ''): Promise<Any> => world.ann.client.get(`${PULLS}/${number}${what}`)
  const merge = (number: number, style = 'merge'): Promise<Any> =>
    world.ann.client.post(`${PULLS}/${number}/merge`, { Do: style })
  /** Requests everything that shows a pull request; each must succeed, whatever it contains. */
  async function isShown(number: number): Promise<Any[]> {
    for (const what of ['', '.diff', '.patch', '/commits']) expect((await get(number, what)).status, what).toBe(200)
    const files = await get(number, '/files')
    expect(files.status).toBe(200)
    return files.json
  }

  it('may have paths of any bytes, which are shown and merged unchanged', async () => {
    const pull = await open('paths')
    expect(pull.mergeable).toBe(true)
    const files = await isShown(pull.number)
    const shown = PATHS.map((name) => Buffer.from(name, 'latin1').toString('utf8'))
    expect(new Set(files.map(({ filename }) => filename))).toEqual(new Set(shown))
    expect(files.filter(({ status, additions }) => status !== 'added' || additions !== 1)).toEqual([])
    expect((await merge(pull.number)).status).toBe(200)
    const tree = oracleBytes(path, ['ls-tree', '-r', '-z', '--name-only', 'main']).toString('latin1').split('\0')
    expect(PATHS.filter((name) => !tree.includes(name))).toEqual([])
  })

  it.each([
    ['rename a file differently', 'renames', 'to base'],
    ['move a submodule differently', 'links', 'sub'],
    ['have a file in place of a directory', 'file', 'thing'],
  ])('that %s conflict, and are refused', async (_, name, conflicted) => {
    const pull = await open(`${name}-head`, `${name}-base`)
    expect(pull.mergeable).toBe(false)
    await isShown(pull.number)
    const before = oracle(path, ['rev-parse', `${name}-base`])
    for (const style of STYLES) {
      const answer = await merge(pull.number, style)
      expect([409, 422], `${style}: ${JSON.stringify(answer.json)}`).toContain(answer.status)
    }
    expect(oracle(path, ['rev-parse', `${name}-base`])).toBe(before)
    const row = await world.server.app.database.read
      .selectFrom('pull')
      .select('conflicts')
      .where('head_branch', '=', `${name}-head`)
      .executeTakeFirstOrThrow()
    expect(row.conflicts).toContain(conflicted)
  })

  it('with several merge bases are compared with all of them', async () => {
    const pull = await open('cross-head', 'cross-base')
    expect(oracle(path, ['merge-base', '--all', 'cross-base', 'cross-head']).split('\n')).toHaveLength(2)
    expect(pull.mergeable).toBe(true)
    await isShown(pull.number)
    expect((await merge(pull.number)).status).toBe(200)
    expect(oracle(path, ['show', 'cross-base:ten']).match(/ changed/g)).toHaveLength(3)
  })

  it.each(STYLES)('with an octopus merge are merged by %s, or refused without side effects', async (style) => {
    const base = `base-${style}`
    const before = oracle(path, ['rev-parse', base])
    const pull = await open('octopus', base)
    expect(pull.mergeable).toBe(true)
    await isShown(pull.number)
    const answer = await merge(pull.number, style)
    expect(answer.status, JSON.stringify(answer.json)).toBe(style === 'fast-forward-only' ? 409 : 200)
    if (answer.status !== 200) return expect(oracle(path, ['rev-parse', base])).toBe(before)
    expect(oracle(path, ['ls-tree', '--name-only', base]).split('\n')).toEqual(
      expect.arrayContaining(['main', 'o1', 'o2', 'o3', 'o4']),
    )
  })

  it('with unrelated histories are shown, and cannot be merged', async () => {
    const pull = await open('unrelated')
    expect(pull.mergeable).toBe(false)
    await isShown(pull.number)
    for (const style of STYLES) expect([409, 422]).toContain((await merge(pull.number, style)).status)
  })

  it('with commits but no changes have no files', async () => {
    const pull = await open('empty')
    expect(await isShown(pull.number)).toEqual([])
    expect((await get(pull.number, '.diff')).text).toBe('')
  })

  it.each([
    ['itself', { head: 'main' }, 422],
    ['itself with its owner', { head: 'ann:main' }, 422],
    ['itself with its owner and name', { head: 'ann/hostile:main' }, 422],
    ['another network', { head: 'ann/app:main' }, 400],
    ['a name with NUL', { head: 'a\0b' }, 422],
    ['a path out of the refs', { head: '../../HEAD' }, 404],
    ['a very long name', { head: 'x'.repeat(70_000) }, 422],
    ['a revision', { head: 'paths~1' }, 422],
    ['a pull request', { head: 'refs/pull/1/head' }, 422],
  ])('cannot be from %s', async (_, body, status) => {
    const answer = await world.ann.client.post(PULLS, { base: 'main', title: 'Refused', ...body })
    expect(answer.status, JSON.stringify(answer.json)).toBe(status)
  })
})
