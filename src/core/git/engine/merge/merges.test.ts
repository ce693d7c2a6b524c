import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createMemo } from '../memo.ts'
import { createMerges, type Merges } from './merges.ts'
import type { GitRepo, MergeOutcome, MergePlan, MergeStyle } from '../../index.ts'
import {
  FORMATS,
  oracle,
  oracleBytes,
  script,
  type ScriptCommit,
  startWorld,
  type World,
} from '../../../../../test/core/git/fixture.ts'
import { MEASURED } from '../../../../../test/harness/measured.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const who = { name: 'Zoë', email: 'zoe@example.com', time: 1_700_000_000, offset: 60 }

function planOf(repo: GitRepo, style: MergeStyle, replaying: Partial<MergePlan['replaying']> = {}): MergePlan {
  const [base, head] = oracle(repo.path, ['rev-parse', 'main', 'topic']).split('\n') as [string, string]
  return {
    style,
    base,
    head,
    commit: async (writer, made) => writer.commit({ ...made, author: who, committer: who, message: 'merged\n' }),
    replaying: { committer: who, ...replaying },
  }
}

const build = (repo: GitRepo, style: MergeStyle, replaying?: Partial<MergePlan['replaying']>): Promise<MergeOutcome> =>
  repo.writing(() => repo.merges.build(planOf(repo, style, replaying)))

const preview = (repo: GitRepo, style: MergeStyle): Promise<MergeOutcome> =>
  repo.writing(() => repo.merges.preview(planOf(repo, style)))

async function built(repo: GitRepo, style: MergeStyle, replaying?: Partial<MergePlan['replaying']>): Promise<string> {
  const outcome = await build(repo, style, replaying)
  if (outcome.kind !== 'built') throw new Error(`not built: ${JSON.stringify(outcome)}`)
  return outcome.commit
}

const show = (repo: GitRepo, format: string, ...revisions: string[]): string =>
  oracle(repo.path, ['log', `--format=${format}`, '--date=raw', ...revisions])

/** The merges of a repository, and how many git processes they started. */
function counting(repo: GitRepo): { readonly merges: Merges; readonly started: () => number } {
  const run = vi.fn<GitRepo['command']['run']>(repo.command.run)
  const { objectFormat: format, objects, quarantine, history } = repo
  const command = { ...repo.command, run }
  const { mergeBases } = history
  const merges = createMerges({ format, cacheKey: '', objects, command, memo: createMemo(1e6), quarantine, mergeBases })
  return { merges, started: () => run.mock.calls.length }
}

const objectFiles = ({ path }: GitRepo): string[] => readdirSync(join(path, 'objects'), { recursive: true }).map(String)

const START: ScriptCommit = { branch: 'main', files: { text: 'one\ntwo\nthree\n', other: 'o\n', 'a/b': 'ab\n' } }
const topic = (files: ScriptCommit['files'], more: Partial<ScriptCommit> = {}): ScriptCommit => ({
  branch: 'topic',
  from: ':1',
  ...(files && { files }),
  ...more,
})
const SIDES = [
  START,
  { branch: 'main', files: { other: 'changed\n' } },
  topic({ text: 'one\n2\nthree\n' }),
  { branch: 'topic', files: { 'a/new': 'n\n' }, message: 'last\n' },
]
const CONFLICT = [
  START,
  { branch: 'main', files: { text: 'one\nzwei\nthree\n' } },
  topic({ 'a/new': 'n\n' }),
  { branch: 'topic', files: { text: 'one\ndeux\nthree\n' } },
]

describe.each(FORMATS)('merging in a %s repository', (format) => {
  it('makes the history of each style', async () => {
    const repo = await world.repo(format, script(SIDES))
    const { base, head } = planOf(repo, 'merge')
    expect(show(repo, '%P', '-1', await built(repo, 'merge'))).toBe(`${base} ${head}`)
    expect(show(repo, '%P|%an|%ad|%s', '-1', await built(repo, 'squash'))).toBe(`${base}|Zoë|1700000000 +0100|merged`)
    const rebased = await built(repo, 'rebase')
    expect(show(repo, '%s|%an %ad|%cn %cd', `${base}..${rebased}`)).toBe(
      'last|Ann 1700000180 +0200|Zoë 1700000000 +0100\ncommit 3|Ann 1700000120 +0200|Zoë 1700000000 +0100',
    )
    expect(show(repo, '%P', '-1', await built(repo, 'rebase-merge'))).toBe(`${base} ${rebased}`)
    expect(await build(repo, 'fast-forward-only')).toEqual({ kind: 'diverged' })
    expect(oracle(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe('')
  })

  it('keeps commits that are in their place, and forwards to them', async () => {
    const repo = await world.repo(format, script([START, topic({ text: 'new\n' })]))
    const { head, base } = planOf(repo, 'rebase')
    expect(await built(repo, 'rebase')).toBe(head)
    expect(await built(repo, 'fast-forward-only')).toBe(head)
    expect(show(repo, '%P', '-1', await built(repo, 'merge'))).toBe(`${base} ${head}`)
  })

  it('starts no process for files that only one side changed', async () => {
    const repo = await world.repo(format, script(SIDES))
    const { base, head } = planOf(repo, 'merge')
    const { merges, started } = counting(repo)
    const { tree } = await repo.writing(() => repo.merges.mergeTrees(base, head))
    const before = objectFiles(repo)
    await repo.writing(async () => {
      expect(await merges.tryMerge(base, head)).toEqual({ tree, conflicts: [] })
      expect(objectFiles(repo)).toEqual(before)
      for (const style of ['merge', 'squash'] as const)
        expect(await merges.build(planOf(repo, style))).toMatchObject({ kind: 'built', tree })
    })
    expect(started()).toBe(0)
  })

  it('leaves a file that both sides changed to one process, and nothing behind', async () => {
    const repo = await world.repo(format, script(CONFLICT))
    const { base, head } = planOf(repo, 'merge')
    const { merges, started } = counting(repo)
    const before = objectFiles(repo)
    expect(await repo.writing(() => merges.tryMerge(base, head))).toMatchObject({ conflicts: ['text'] })
    expect([started(), objectFiles(repo)]).toEqual([1, before])
  })

  it('names the files of a conflict, and the commit that does not fit', async () => {
    const repo = await world.repo(format, script(CONFLICT))
    const { head } = planOf(repo, 'merge')
    expect(await build(repo, 'merge')).toMatchObject({ kind: 'conflict', commit: undefined, files: ['text'] })
    const rebased = await build(repo, 'rebase')
    expect(rebased).toMatchObject({ kind: 'conflict', commit: head, files: ['text'], hunks: [] })
    expect(rebased).toHaveProperty('messages', expect.stringContaining('CONFLICT (content)'))
  })

  it('previews the conflicting lines and leaves nothing behind', async () => {
    const repo = await world.repo(format, script(CONFLICT))
    const objects = oracle(repo.path, ['count-objects', '-v'])
    for (const style of ['merge', 'rebase'] as const)
      expect(await preview(repo, style)).toMatchObject({
        hunks: [{ path: 'text', isCut: false, hunks: [{ line: 2, ours: 'zwei', theirs: 'deux' }] }],
      })
    const clean = await world.repo(format, script(SIDES))
    expect((await preview(clean, 'rebase-merge')).kind).toBe('built')
    expect(oracle(repo.path, ['count-objects', '-v'])).toBe(objects)
    expect(readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
  })

  it('previews a limited part of many conflicting lines', async () => {
    const text = (side: string) =>
      Array.from({ length: 25 }, (_, place) => `${`${place}\n`.repeat(9)}${side.repeat(5000)}\n`).join('')
    const both = (side: string) => ({ a: text(side), b: text(side), text: text(side) })
    const parts = [START, { branch: 'main', files: both('m') }, topic(both('t'))]
    const outcome = await preview(await world.repo(format, script(parts)), 'merge')
    const files = outcome.kind === 'conflict' ? outcome.hunks : []
    expect(files.map(({ path, hunks, isCut }) => [path, hunks.length, isCut])).toEqual([
      ['a', 20, true],
      ['b', 12, true],
      ['text', 0, true],
    ])
    expect(files[0]?.hunks[0]).toMatchObject({ line: 10, ours: 'm'.repeat(4000), theirs: 't'.repeat(4000) })
  })

  it('refuses histories that have nothing in common, and heads that the base contains', async () => {
    const apart = await world.repo(format, script([START, { branch: 'topic', files: { text: 'x\n' } }]))
    expect(await build(apart, 'merge')).toEqual({ kind: 'unrelated' })
    expect(await build(apart, 'rebase')).toEqual({ kind: 'unrelated' })
    const behind = await world.repo(
      format,
      script([START, topic({ text: 'new\n' })], 'reset refs/heads/main\nfrom :2\n\n'),
    )
    for (const style of ['merge', 'squash', 'rebase', 'fast-forward-only'] as const)
      expect(await build(behind, style)).toEqual({ kind: 'nothing' })
  })

  it('omits changes that the base has already, and repeats commits that were empty', async () => {
    const repo = await world.repo(
      format,
      script([
        START,
        { branch: 'main', files: { other: 'changed\n' } },
        topic({ other: 'changed\n' }, { message: 'the same\n' }),
        { branch: 'topic', message: 'empty\n' },
        { branch: 'topic', files: { text: 'new\n' }, message: 'new\n' },
      ]),
    )
    expect(show(repo, '%s', `main..${await built(repo, 'rebase')}`)).toBe('new\nempty')
  })

  it('keeps author, encoding and message of replayed commits byte for byte', async () => {
    const repo = await world.repo(format, script(SIDES))
    const [tree, parent] = oracle(repo.path, ['rev-parse', 'topic^{tree}', 'topic']).split('\n')
    const content = Buffer.from(
      `tree ${tree}\nparent ${parent}\nauthor J\xf6rg <j@example.com> 1600000000 -0730\n` +
        'committer Cy <cy@example.com> 1600000001 +0000\nencoding ISO-8859-1\nx-other 1\n\ngr\xfcn, no newline',
      'latin1',
    )
    const odd = oracle(repo.path, ['hash-object', '-t', 'commit', '-w', '--stdin'], content)
    oracle(repo.path, ['update-ref', 'refs/heads/topic', odd])
    const plain = { ...who, name: 'Zoe' }
    const kept = oracleBytes(repo.path, ['cat-file', 'commit', await built(repo, 'rebase', { committer: plain })])
    const text = kept.toString('latin1')
    expect(text).toContain('\nauthor J\xf6rg <j@example.com> 1600000000 -0730\ncommitter Zoe <')
    expect(text.endsWith('\nencoding ISO-8859-1\n\ngr\xfcn, no newline')).toBe(true)
    const recoded = oracleBytes(repo.path, ['cat-file', 'commit', await built(repo, 'rebase')]).toString('utf8')
    expect(recoded).toContain('\nauthor Jörg <j@example.com> 1600000000 -0730\ncommitter Zoë <')
    expect(recoded.endsWith('\n\ngrün, no newline')).toBe(true)
  })

  it('signs each new commit over its own bytes and rewords the last', async () => {
    const repo = await world.repo(format, script(SIDES))
    const payloads: string[] = []
    const sign = async (payload: Buffer): Promise<string> => {
      payloads.push(payload.toString('utf8'))
      return '-----BEGIN X-----\nabc\n-----END X-----\n'
    }
    const tip = await built(repo, 'rebase', { sign, reword: (message) => `${message.trim()} (#1)\n` })
    const stored = oracle(repo.path, ['cat-file', 'commit', tip])
    const header = format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256'
    expect(stored).toContain(`\n${header} -----BEGIN X-----\n abc\n -----END X-----\n\nlast (#1)`)
    expect(payloads).toHaveLength(2)
    expect(payloads[1]).toBe(`${stored.replace(/^gpgsig.*\n(?: .*\n)*/m, '')}\n`)
    expect(oracle(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe('')
  })
})

/** A commit on each side of the first, given by lines of fast-import. */
function conflicting(ours: string, theirs: string): string {
  const commit = (branch: string, lines: string): string =>
    `commit refs/heads/${branch}\ncommitter A <a@b> 1700000100 +0000\ndata 2\nx\nfrom :1\n${lines}\n\n`
  return script([START]) + commit('main', ours) + commit('topic', theirs)
}
const SUB = ['1'.repeat(40), '2'.repeat(40)]
const CONFLICTS: readonly (readonly [what: string, ours: string, theirs: string, files: readonly string[]])[] = [
  ['submodules at different commits', `M 160000 ${SUB[0]} sub`, `M 160000 ${SUB[1]} sub`, ['sub']],
  ['a file renamed to two names', 'R text left', 'R text right', ['left', 'right', 'text']],
  ['a file deleted here and changed there', 'D text', 'M 100644 inline text\ndata 4\nnew\n', ['text']],
  ['a new file with two modes', 'M 100755 inline run\ndata 2\na\n', 'M 100644 inline run\ndata 2\nb\n', ['run']],
  ['a file here and a directory there', 'M 100644 inline d\ndata 2\na\n', 'M 100644 inline d/e\ndata 2\na\n', ['d']],
  ['a new file in a directory that was moved', 'R a z', 'M 100644 inline a/n\ndata 2\na\n', ['z/n']],
]

it.each(CONFLICTS)('reports %s', async (_, ours, theirs, files) => {
  const repo = await world.repo('sha1', conflicting(ours, theirs))
  for (const style of ['merge', 'rebase'] as const) {
    const outcome = await build(repo, style)
    expect(outcome.kind).toBe('conflict')
    const found = outcome.kind === 'conflict' ? outcome.files : []
    for (const file of files) expect(found.some((name) => name.startsWith(file))).toBe(true)
  }
})

it('replays at most 1,000 commits', { ...MEASURED, timeout: 60_000 }, async () => {
  const commits = Array.from({ length: 1_001 }, (_, index) =>
    topic({ [`f${index}`]: 'x\n' }, index > 0 ? { from: '' } : {}),
  )
  const repo = await world.repo('sha1', script([START, { branch: 'main', files: { other: 'x\n' } }, ...commits]))
  expect(await build(repo, 'rebase')).toEqual({ kind: 'too-many', limit: 1_000 })
  oracle(repo.path, ['update-ref', 'refs/heads/topic', 'topic~1'])
  const started = performance.now()
  expect(oracle(repo.path, ['rev-list', '--count', `main..${await built(repo, 'rebase')}`])).toBe('1000')
  expect(performance.now() - started).toBeLessThan(20_000)
})
