import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePackedRefs } from './ref-store.ts'
import { type GitRepo, isValidRefName, isValidRefPart, RefConflictError } from '../../index.ts'
import { setChildPath } from '../../../platform/process/process.ts'
import { FORMATS, oracle, SMALL, startWorld, type World } from '../../../../../test/core/git/fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const refsOf = (repo: GitRepo): string => oracle(repo.path, ['for-each-ref', '--format=%(objectname) %(refname)'])
const seen = async (repo: GitRepo): Promise<string> =>
  (await repo.refs.snapshot())
    .list('')
    .map((ref) => `${ref.oid} ${ref.name}`)
    .join('\n')

const locksIn = (path: string): string[] =>
  readdirSync(join(path, 'refs'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.lock'))

/** Runs `task` with a shell script in the place of a program; returns the lines that the script wrote to `$log`. */
async function withScript(
  program: string,
  lines: readonly string[],
  task: (dir: string) => Promise<void>,
): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-script-'))
  const log = join(dir, 'log')
  writeFileSync(join(dir, program), ['#!/bin/sh', `log='${log}' dir='${dir}'`, ...lines].join('\n'), { mode: 0o755 })
  setChildPath(`${dir}:${process.env['PATH']}`)
  try {
    await task(dir)
    return readFileSync(log, 'utf8').trim().split('\n')
  } finally {
    setChildPath(process.env['PATH']!)
    rmSync(dir, { recursive: true })
  }
}

/** Runs `task` with a `sync` that records what it finds before it does its work. */
const watchSync = (path: string, task: () => Promise<void>): Promise<string[]> =>
  withScript(
    'sync',
    [
      `locked=$(find '${path}/refs' -name '*.lock' | wc -l)`,
      `tags=$(git --git-dir='${path}' for-each-ref 'refs/tags/t?/*' | wc -l)`,
      'echo "$locked locked, $tags tags" >>"$log"',
      'PATH=/usr/bin:/bin exec sync "$@"',
    ],
    task,
  )

describe.each(FORMATS)('refs of a %s repository', (format) => {
  let repo: GitRepo
  let tip: string
  let old: string
  beforeAll(async () => {
    repo = await world.repo(format, SMALL)
    tip = oracle(repo.path, ['rev-parse', 'main'])
    old = oracle(repo.path, ['rev-parse', 'main~1'])
  })

  it('are read as git reads them, whichever process changes them', async () => {
    expect(await seen(repo)).toBe(refsOf(repo))
    const changes = [
      ['update-ref', 'refs/heads/feat/x', tip],
      ['update-ref', 'refs/heads/feat/x', old],
      ['pack-refs', '--all', '--prune'],
      ['update-ref', 'refs/heads/feat/x', tip],
      ['update-ref', '-d', 'refs/heads/feat/x'],
      ['update-ref', 'refs/heads/feat', tip],
      ['symbolic-ref', 'refs/heads/alias', 'refs/heads/topic'],
      ['branch', '-m', 'feat', 'feat2/deep/er'],
      ['update-ref', '--no-deref', '-d', 'refs/heads/alias'],
      ['update-ref', '-d', 'refs/heads/feat2/deep/er'],
    ]
    for (const args of changes) {
      oracle(repo.path, args)
      expect(await seen(repo), args.join(' ')).toBe(refsOf(repo))
    }
  })

  it('keep their snapshot while nothing changes', async () => {
    const first = await repo.refs.snapshot()
    for (let round = 0; round < 5; round++) expect(await repo.refs.snapshot()).toBe(first)
  })

  it('move by the hundred with one sync, before any of them can be seen, and not at all when one of them cannot', async () => {
    const many = await world.repo(format, SMALL)
    const head = oracle(many.path, ['rev-parse', 'main'])
    const updates = Array.from({ length: 200 }, (_, index) => ({
      ref: `refs/tags/t${index % 3}/v${index}`,
      new: head,
      old: many.zeroOid,
    }))
    const syncs = await watchSync(many.path, async () => {
      await many.refs.update(updates)
      oracle(many.path, ['pack-refs', '--all', '--prune'])
      await many.refs.update(updates.slice(0, 100).map(({ ref }) => ({ ref, new: many.zeroOid, old: head })))
    })
    expect(syncs).toEqual(['200 locked, 0 tags', '100 locked, 200 tags'])
    expect(await seen(many)).toBe(refsOf(many))
    expect((await many.refs.snapshot()).list('refs/tags/t')).toHaveLength(100)
    // Another process is about to write one of them.
    mkdirSync(join(many.path, 'refs/tags/t1'), { recursive: true })
    writeFileSync(join(many.path, 'refs/tags/t1/v1.lock'), '')
    await expect(many.refs.update(updates.slice(0, 100))).rejects.toMatchObject({ reason: 'locked' })
    rmSync(join(many.path, 'refs/tags/t1/v1.lock'))
    expect(locksIn(many.path)).toEqual([])
    expect((await many.refs.snapshot()).list('refs/tags/t')).toHaveLength(100)
    await many.refs.update(updates.slice(0, 100))
    expect(oracle(many.path, ['for-each-ref', '--format=x', 'refs/tags/t?/*']).split('\n')).toHaveLength(200)
  })

  it('move by the dozen with files that this process syncs, and not at all when it cannot sync one', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `refs/pull/${index}/head`)
    const move = (oid: string) => repo.refs.update(names.map((ref) => ({ ref, new: oid })))
    const valuesNow = async (): Promise<(string | undefined)[]> => {
      const snapshot = await repo.refs.snapshot()
      return [...new Set(names.map((name) => snapshot.get(name)?.oid))]
    }
    const script = [
      `PATH='${process.env['PATH']}' git "$@" | while read -r line; do`,
      `  [ "$line" != 'prepare: ok' ] || cat '${repo.path}'/refs/pull/*/head.lock | sort -u >>"$log"`,
      `  [ ! -e "$dir/fails" ] || rm -f '${repo.path}/refs/pull/7/head.lock'`,
      '  echo "$line"',
      'done',
    ]
    const locked = await withScript('git', script, async (dir) => {
      await move(old)
      expect(await valuesNow()).toEqual([old])
      writeFileSync(join(dir, 'fails'), '')
      await expect(move(tip)).rejects.toMatchObject({ code: 'ENOENT' })
    })
    expect(locked).toEqual([old, tip])
    expect(await valuesNow()).toEqual([old])
    expect(locksIn(repo.path)).toEqual([])
    await repo.refs.update(names.map((ref) => ({ ref, new: repo.zeroOid })))
    expect(await seen(repo)).toBe(refsOf(repo))
  })

  it('move all together or not at all', async () => {
    const zero = repo.zeroOid
    await repo.refs.update([
      { ref: 'refs/heads/one', new: tip, old: zero },
      { ref: 'refs/tags/two', new: old },
    ])
    expect(await seen(repo)).toBe(refsOf(repo))
    const before = refsOf(repo)
    const failing = repo.refs.update([
      { ref: 'refs/heads/one', new: old, old: tip },
      { ref: 'refs/heads/three', new: tip, old },
    ])
    await expect(failing).rejects.toMatchObject({ ref: 'refs/heads/three', reason: 'missing' })
    expect(refsOf(repo)).toBe(before)
    await repo.refs.update([
      { ref: 'refs/heads/one', new: zero, old: tip },
      { ref: 'refs/tags/two', new: zero },
    ])
    expect((await repo.refs.snapshot()).get('refs/heads/one')).toBeUndefined()
    expect(await seen(repo)).toBe(refsOf(repo))
  })

  it('name the reason of a lost race', async () => {
    const zero = repo.zeroOid
    const cases = [
      { update: { ref: 'refs/heads/main', new: tip, old: zero }, reason: 'exists' },
      { update: { ref: 'refs/heads/main', new: old, old }, reason: 'stale' },
      { update: { ref: 'refs/heads/none', new: old, old }, reason: 'missing' },
      { update: { ref: 'refs/heads/main/x', new: old }, reason: 'name-clash' },
    ]
    for (const { update, reason } of cases) {
      const error: unknown = await repo.refs.update([update]).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(RefConflictError)
      expect(error).toMatchObject({ reason })
    }
    await repo.refs.update([{ ref: 'refs/heads/dir/x', new: tip }])
    await expect(repo.refs.update([{ ref: 'refs/heads/dir', new: tip }])).rejects.toMatchObject({
      reason: 'name-clash',
    })
  })

  it('clash in large updates as in small ones', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ ref: `refs/tags/many/${index}`, new: tip }))
    await repo.refs.update([{ ref: 'refs/heads/above/x', new: tip }, ...many])
    const more = many.map(({ ref }) => ({ ref: `${ref}-more`, new: tip }))
    for (const ref of ['refs/heads/above', 'refs/heads/above/x/y', 'refs/tags/many', 'refs/tags/many/1-more/z']) {
      await expect(repo.refs.update([...more, { ref, new: tip }]), ref).rejects.toMatchObject({ reason: 'name-clash' })
    }
    await repo.refs.update([...more, { ref: 'refs/heads/abov', new: tip }])
    expect((await repo.refs.snapshot()).get('refs/tags/many/19-more')?.oid).toBe(tip)
  })

  it('let exactly one of many racing writers win', async () => {
    await repo.refs.update([{ ref: 'refs/heads/race', new: old }])
    const attempts = Array.from({ length: 6 }, () => repo.refs.update([{ ref: 'refs/heads/race', new: tip, old }]))
    const results = await Promise.allSettled(attempts)
    expect(results.filter((result) => result.status === 'fulfilled').length).toBe(1)
  })

  it('refuse bad names, ids and missing objects', async () => {
    for (const ref of [
      'refs/heads/a..b',
      'heads/main',
      'refs/heads/x\ny',
      'refs/heads/.x',
      'HEAD',
      'refs/heads/a.lock',
    ]) {
      await expect(repo.refs.update([{ ref, new: tip }]), ref).rejects.toMatchObject({ kind: 'invalid' })
    }
    await expect(repo.refs.update([{ ref: 'refs/heads/x', new: 'abc' }])).rejects.toMatchObject({ kind: 'invalid' })
    await expect(repo.refs.update([{ ref: 'refs/heads/x', new: '1'.repeat(tip.length) }])).rejects.toMatchObject({
      kind: 'missing',
    })
  })

  it('point HEAD at another branch', async () => {
    await repo.refs.setHead('not/yet')
    expect(oracle(repo.path, ['symbolic-ref', 'HEAD'])).toBe('refs/heads/not/yet')
    expect((await repo.refs.snapshot()).head).toBe('refs/heads/not/yet')
    await repo.refs.setHead('main')
    await expect(repo.refs.setHead('../x')).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('ref names', () => {
  const part = fc.string({
    unit: fc.constantFrom(
      'a',
      'B',
      '.',
      '/',
      '@',
      '{',
      '-',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '\x7f',
      'é',
      '.lock',
      'x',
      '..',
    ),
    maxLength: 8,
  })

  it('are judged as git check-ref-format judges them', () => {
    const names = fc
      .sample(
        fc.oneof(
          part,
          part.map((name) => `refs/heads/${name}`),
        ),
        { numRuns: 400, seed: 7 },
      )
      .filter((name) => !name.includes('\0'))
    const unique = [...new Set(names)]
    expect(unique.filter(isValidRefName)).toEqual(judgedByGit(unique))
    const some = unique.slice(0, 120)
    expect(some.filter(isValidRefPart)).toEqual(judgedByGit(some, '--allow-onelevel'))
  })

  /** Those that git takes. One shell for all: starting a process from here for each is ten times slower. */
  function judgedByGit(candidates: readonly string[], ...options: string[]): string[] {
    const loop = `while IFS= read -r name; do git check-ref-format ${options.join(' ')} "$name" && echo yes || echo no; done`
    const verdicts = spawnSync('sh', ['-c', loop], { input: `${candidates.join('\n')}\n`, encoding: 'utf8' })
      .stdout.trim()
      .split('\n')
    expect(verdicts).toHaveLength(candidates.length)
    return candidates.filter((_, index) => verdicts[index] === 'yes')
  }
})

describe('packed-refs', () => {
  it('are read back as written', () => {
    const oid = fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef')), minLength: 40, maxLength: 40 })
    const name = fc
      .string({ unit: fc.constantFrom('a', 'b', '/', 'é', '-'), minLength: 1, maxLength: 12 })
      .map((text) => `refs/heads/${text}`)
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ name, oid, peeled: fc.option(oid, { nil: undefined }) }), {
          selector: (ref) => ref.name,
        }),
        (refs) => {
          const text = refs.map((ref) => `${ref.oid} ${ref.name}\n${ref.peeled ? `^${ref.peeled}\n` : ''}`).join('')
          const read = parsePackedRefs(`# pack-refs with: peeled fully-peeled sorted \n${text}`)!
          expect([...read.values()].map((ref) => ({ peeled: undefined, ...ref }))).toEqual(
            refs.map((ref) => ({ ...ref })),
          )
        },
      ),
    )
  })
})
