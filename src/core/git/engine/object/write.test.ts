import fc from 'fast-check'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCommit, serializeCommit, formatIdentity, parseIdentity } from './commit.ts'
import { emptyTreeOid } from './format.ts'
import { parseTree, serializeTree } from './tree.ts'
import {
  applyChanges,
  type GitRepo,
  type Identity,
  isSafePath,
  MODE,
  PathConflictError,
  signedPayload,
  type TreeChange,
} from '../../index.ts'
import {
  FORMATS,
  newStorage,
  oracle,
  oracleBytes,
  oracleStatus,
  script,
  SMALL,
  startWorld,
  type World,
} from '../../../../../test/core/git/fixture.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.end())

const who: Identity = { name: 'Zoë <x>', email: 'zoe@example.com', time: 1_700_000_000, offset: -90 }

describe.each(FORMATS)('writing to a %s repository', (format) => {
  let repo: GitRepo
  beforeAll(async () => {
    repo = await world.repo(format, SMALL)
  })
  const id = (revision: string): string => oracle(repo.path, ['rev-parse', revision])

  async function commitChanges(
    changes: readonly TreeChange[] | ((blob: (text: string) => string) => readonly TreeChange[]),
  ): Promise<string> {
    const writer = repo.writer()
    const tip = id('main')
    const list = typeof changes === 'function' ? changes((text) => writer.blob(text)) : changes
    const tree = await applyChanges(writer, await repo.revisions.peel(tip, 'tree'), list)
    const commit = writer.commit({ tree, parents: [tip], author: who, committer: who, message: 'change\n' })
    await writer.flush()
    await repo.refs.update([{ ref: 'refs/heads/main', new: commit, old: tip }])
    return commit
  }

  it('begins with a first commit, made without git', async () => {
    const storage = newStorage()
    const files = [
      { path: 'README.md', content: '# hi\n' },
      { path: 'bin/run', content: Buffer.from('#!/bin/sh\n'), executable: true },
    ]
    const { head } = await world.git.createRepo(storage, {
      objectFormat: format,
      defaultBranch: 'release/1',
      firstCommit: { files, author: who, committer: who, message: 'Initial commit\n' },
    })
    const path = world.git.path(storage)
    expect(oracle(path, ['rev-parse', 'HEAD'])).toBe(head)
    expect(oracle(path, ['ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD'])).toBe(
      '100644 README.md\n100755 bin/run',
    )
    expect(oracle(path, ['log', '--format=%an|%ae|%ad|%B', '--date=raw', 'HEAD'])).toBe(
      'Zoë x|zoe@example.com|1700000000 -0130|Initial commit',
    )
    expect(oracleStatus(path, ['fsck', '--strict'])).toBe(0)
    expect(readdirSync(join(world.root, 'staging'))).toEqual([])
  })

  it('edits nested directories, and git finds nothing wrong', async () => {
    await commitChanges((blob) => [
      { path: 'src/deep/b.ts', delete: true },
      { path: 'src/deep', mode: MODE.file, oid: blob('a file now\n') },
      { path: 'a/b/c/d.txt', mode: MODE.executable, oid: blob('run\n') },
      { path: 'a.txt', mode: MODE.file, oid: blob('sorts before a/\n') },
      { path: 'link', mode: MODE.symlink, oid: blob('a.txt') },
    ])
    expect(oracle(repo.path, ['ls-tree', '-r', '--name-only', 'main'])).toBe(
      'a.txt\na/b/c/d.txt\ndocs/x.md\nlink\nsrc/a.ts\nsrc/deep',
    )
    await commitChanges([{ path: 'a/b/c/d.txt', delete: true }])
    expect(oracle(repo.path, ['ls-tree', '--name-only', 'main'])).toBe('a.txt\ndocs\nlink\nsrc')
    expect(oracleStatus(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe(0)
  })

  it('names the conflict', async () => {
    const cases: [TreeChange, string][] = [
      [{ path: 'src/a.ts/x', mode: MODE.file, oid: id('main:src/a.ts') }, 'file-above'],
      [{ path: 'src', mode: MODE.file, oid: id('main:src/a.ts') }, 'directory'],
      [{ path: 'src', delete: true }, 'directory'],
      [{ path: 'src/nope', delete: true }, 'missing'],
      [{ path: 'nope/x', delete: true }, 'missing'],
      [{ path: 'x/../y', delete: true }, 'malformed'],
      [{ path: 'x/.GIT/config', delete: true }, 'malformed'],
    ]
    for (const [change, reason] of cases) {
      const error: unknown = await commitChanges([change]).catch((caught: unknown) => caught)
      expect(error, change.path).toBeInstanceOf(PathConflictError)
      expect(error).toMatchObject({ reason, path: change.path })
    }
  })

  it('makes annotated tags and signed commits that git reads', async () => {
    const writer = repo.writer()
    const tag = writer.tag({ object: id('main'), type: 'commit', name: 'v9', tagger: who, message: 'nine\n' })
    const draft = {
      tree: id('main^{tree}'),
      parents: [id('main')],
      author: who,
      committer: who,
      message: 'signed\n\nbody\n',
    }
    const signature = '-----BEGIN SSH SIGNATURE-----\nabc\n\ndef\n-----END SSH SIGNATURE-----\n'
    const commit = writer.commit({ ...draft, signature })
    await writer.flush()
    await repo.refs.update([{ ref: 'refs/tags/v9', new: tag }])
    expect(
      oracle(repo.path, ['for-each-ref', '--format=%(objecttype) %(taggername) %(contents)', 'refs/tags/v9']),
    ).toContain('tag Zoë x nine')
    expect((await repo.objects.commit(commit)).signature).toBe(signature)
    expect(signedPayload((await repo.objects.raw(commit)).content).equals(writer.payload(draft))).toBe(true)
    expect(oracleStatus(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe(0)
  })

  it('keeps, changes and removes notes where git looks for them', async () => {
    const write = async (oid: string, message: string | undefined): Promise<void> => {
      const { ref, oldOid, newOid } = await repo.notes.build(oid, message, who)
      await repo.refs.update([{ ref, old: oldOid, new: newOid }])
    }
    const commits = oracle(repo.path, ['rev-list', 'main']).split('\n')
    for (const oid of commits) await write(oid, `note of ${oid}\n`)
    for (const oid of commits) expect(oracle(repo.path, ['notes', 'show', oid])).toBe(`note of ${oid}`)
    oracle(repo.path, ['notes', 'add', '-f', '-m', 'by git', commits[0]!])
    expect((await repo.notes.find(commits[0]!))?.message).toBe('by git\n')
    await write(commits[0]!, undefined)
    expect(await repo.notes.find(commits[0]!)).toBeUndefined()
    await expect(repo.notes.build(commits[0]!, undefined, who)).rejects.toMatchObject({ kind: 'missing' })
    expect(oracleStatus(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe(0)
  })

  it('lists what commits changed, as git diff-tree does', async () => {
    const oids = oracle(repo.path, ['rev-list', 'main']).split('\n')
    const sets = await repo.changes.ofCommits(oids)
    for (const oid of oids) {
      const parent =
        oracle(repo.path, ['rev-list', '--parents', '-1', oid]).split(' ')[1] ?? emptyTreeOid(repo.objectFormat)
      const lines = oracle(repo.path, ['diff-tree', '-r', '--no-renames', '--numstat', parent, oid])
        .split('\n')
        .filter(Boolean)
      const set = sets.get(oid)!
      expect(set.files.map((file) => `${file.additions}\t${file.deletions}\t${file.path}`)).toEqual(lines)
      const names = oracle(repo.path, ['diff-tree', '-r', '--no-renames', '--name-status', parent, oid])
        .split('\n')
        .filter(Boolean)
      const letters = { added: 'A', removed: 'D', modified: 'M' }
      expect(set.files.map((file) => `${letters[file.status]}\t${file.path}`)).toEqual(
        names.map((line) => line.replace(/^T/, 'M')),
      )
    }
    expect(await repo.changes.ofCommits(oids)).toEqual(sets)
  })

  it('lists a rename as a file removed and one added, and counts the lines that differ', async () => {
    const other = await world.repo(
      format,
      script([
        { branch: 'main', files: { 'old name.txt': 'a\nb\nc\nd\ne\nf\n', keep: 'k\n' } },
        { branch: 'main', files: { 'old name.txt': null, 'new\tname.txt': 'a\nb\nc\nd\ne\nF\n', bin: 'a\0b' } },
      ]),
    )
    const head = oracle(other.path, ['rev-parse', 'main'])
    const set = (await other.changes.ofCommits([head])).get(head)!
    expect(set.files.map((file) => [file.status, file.path, file.additions, file.deletions])).toEqual([
      ['added', 'bin', 0, 0],
      ['added', 'new\tname.txt', 1, 0],
      ['removed', 'old name.txt', 0, 1],
    ])
    expect([set.additions, set.deletions]).toEqual([1, 1])
  })

  it('prints diffs, mails, archives and blame byte for byte as git does', async () => {
    const gather = async (stream: AsyncIterable<Buffer>): Promise<string> =>
      Buffer.concat(await Array.fromAsync(stream)).toString('latin1')
    const tip = id('main')
    expect(await gather(repo.diffs.patch(id('main~2'), tip))).toBe(
      oracleBytes(repo.path, ['diff', '-M', 'main~2', 'main']).toString('latin1'),
    )
    expect(await gather(repo.diffs.commitMail(tip))).toBe(
      oracleBytes(repo.path, ['format-patch', '--stdout', '-1', 'main']).toString('latin1'),
    )
    const root = oracle(repo.path, ['rev-list', '--max-parents=0', 'main'])
    expect(await gather(repo.diffs.commitDiff(root))).toContain('+hello')
    expect(await gather(repo.archives.archive({ format: 'tar', oid: tip, prefix: 'x/' }))).toBe(
      oracleBytes(repo.path, ['archive', '--format=tar', '--prefix=x/', 'main']).toString('latin1'),
    )
    const blame = await repo.blames.ofFile(tip, 'src/a.ts')
    expect(blame.map((hunk) => hunk.commit)).toEqual([
      oracle(repo.path, ['log', '-1', '--format=%H', 'main', '--', 'src/a.ts']),
    ])
    expect(await repo.blames.ofLine(tip, 'src/a.ts', 1)).toBe(blame[0]!.commit)
    for (const [path, line] of [
      ['src/a.ts', 2],
      ['src/a.ts', 0],
      ['missing', 1],
      ['src', 1],
    ] as const)
      expect(await repo.blames.ofLine(tip, path, line)).toBeUndefined()
  })

  it('merges without a work tree', async () => {
    const other = await world.repo(
      format,
      script([
        { branch: 'main', files: { a: '1\n2\n3\n', b: 'b\n' } },
        { branch: 'side', from: ':1', files: { a: '1\n2\nthree\n' } },
        { branch: 'clash', from: ':1', files: { a: '1\n2\nTHREE\n' } },
        { branch: 'main', from: ':1', files: { b: 'B\n' } },
        { branch: 'side', files: { c: 'c\n' } },
      ]),
    )
    const rev = (name: string): string => oracle(other.path, ['rev-parse', name])
    const objects = (): string => oracle(other.path, ['count-objects'])
    const before = objects()
    const tried = await other.merges.tryMerge(rev('main'), rev('side'))
    expect((await other.merges.tryMerge(rev('side'), rev('clash'))).conflicts).toEqual(['a'])
    expect(objects()).toBe(before)
    const clean = await other.merges.mergeTrees(rev('main'), rev('side'))
    expect(clean).toEqual(tried)
    expect(clean.conflicts).toEqual([])
    expect(oracle(other.path, ['show', `${clean.tree}:a`])).toBe('1\n2\nthree')
    expect((await other.merges.mergeTrees(rev('side'), rev('clash'))).conflicts).toEqual(['a'])
  })

  it('finds the last commit of every entry', async () => {
    for (const directory of ['', 'src', 'docs']) {
      const found = await repo.lastCommits.ofDirectory(id('main'), directory)
      const names = oracle(repo.path, ['ls-tree', '--name-only', `main:${directory}`]).split('\n')
      expect([...found.keys()].toSorted()).toEqual(names.toSorted())
      for (const name of names) {
        const path = directory === '' ? name : `${directory}/${name}`
        expect(found.get(name), path).toBe(oracle(repo.path, ['log', '-1', '--format=%H', 'main', '--', path]))
        expect(await repo.lastCommits.ofPath(id('main'), path)).toBe(found.get(name))
      }
    }
  })

  it('adds objects of a quarantine only when it is accepted', async () => {
    const refused = await repo.quarantine()
    const lost = oracle(repo.path, ['hash-object', '-w', '--stdin'], 'refused\n', refused.env)
    await refused.discard()
    expect(await repo.objects.findInfo(lost)).toBeUndefined()
    const quarantine = await repo.quarantine()
    const blob = oracle(repo.path, ['hash-object', '-w', '--stdin'], 'kept\n', quarantine.env)
    const pack = oracleBytes(repo.path, ['pack-objects', '--stdout', '-q'], `${id('main')}\n`)
    oracle(repo.path, ['index-pack', '--stdin'], pack, quarantine.env)
    expect(await repo.objects.findInfo(blob)).toBeUndefined()
    await quarantine.migrate()
    await quarantine.discard()
    expect((await repo.objects.info(blob)).size).toBe(5)
    expect(
      readdirSync(join(repo.path, 'objects', 'pack')).filter((name) => name.endsWith('.idx')).length,
    ).toBeGreaterThan(0)
    expect(readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([])
    expect(oracleStatus(repo.path, ['fsck', '--strict', '--no-dangling'])).toBe(0)
  })

  it('is not blocked by the lock of a process that died', async () => {
    mkdirSync(join(repo.path, 'refs/heads/held'), { recursive: true })
    const lock = join(repo.path, 'refs/heads/held/x.lock')
    writeFileSync(lock, '')
    const { utimesSync } = await import('node:fs')
    utimesSync(lock, 1_600_000_000, 1_600_000_000)
    await repo.refs.update([{ ref: 'refs/heads/held/x', new: id('main') }])
    expect(id('refs/heads/held/x')).toBe(id('main'))
  })
})

describe('parsers', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'é', '.', ' ', '-', '日', '\t'), minLength: 1, maxLength: 6 })
  const oid = fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdef')), minLength: 40, maxLength: 40 })

  it('read trees back as written, in git order', () => {
    const entry = fc.record({ name, oid, mode: fc.constantFrom('100644', '100755', '040000', '120000', '160000') })
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: (item) => item.name }), (entries) => {
        const typed = entries.map((item) => ({
          ...item,
          type:
            item.mode === '040000'
              ? ('tree' as const)
              : item.mode === '160000'
                ? ('commit' as const)
                : ('blob' as const),
        }))
        const bytes = serializeTree(typed)
        const read = parseTree('x', bytes, 'sha1')
        expect(read.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
          typed.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        )
        expect(serializeTree(read).equals(bytes)).toBe(true)
      }),
    )
  })

  it('keep names that are not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('100644 '),
      Buffer.from([0xff, 0x61]),
      Buffer.from([0]),
      Buffer.alloc(20, 1),
    ])
    expect(serializeTree(parseTree('x', bytes, 'sha1')).equals(bytes)).toBe(true)
    expect(() => parseTree('x', bytes.subarray(0, 20), 'sha1')).toThrow('truncated')
  })

  it('read identities and commits back as written, and never fail on junk', () => {
    const text = fc
      .string({ unit: fc.constantFrom('a', 'B', ' ', 'é'), minLength: 1, maxLength: 8 })
      .map((value) => `x${value}y`)
    const identity = fc.record({
      name: text,
      email: text,
      time: fc.integer({ min: 0, max: 4e9 }),
      offset: fc.integer({ min: -840, max: 840 }),
    })
    fc.assert(
      fc.property(identity, fc.string(), fc.array(oid), (made, message, parents) => {
        expect(parseIdentity(formatIdentity(made))).toEqual(made)
        const commit = {
          tree: 'a'.repeat(40),
          parents,
          author: made,
          committer: made,
          message: message.toWellFormed(),
          signature: '-----BEGIN X-----\n\nq\n-----END X-----\n',
        }
        expect(parseCommit('id', serializeCommit(commit))).toEqual({ oid: 'id', ...commit })
      }),
    )
    fc.assert(fc.property(fc.string(), (junk) => Number.isFinite(parseIdentity(junk).time)))
  })

  it('refuse paths that would leave the tree or become .git somewhere', () => {
    for (const path of [
      '',
      '/',
      'a//b',
      './a',
      'a/..',
      '.git',
      'x/.GIT/y',
      'git~1',
      '.git ',
      '.git.',
      '.g\u200cit',
      'a\\b',
      'a\0',
      '.git::$INDEX_ALLOCATION',
      'a/',
    ]) {
      expect(isSafePath(path), JSON.stringify(path)).toBe(false)
    }
    for (const path of ['a', '.gitignore', 'a/.github/x', 'git', '...', 'ü/日'])
      expect(isSafePath(path), path).toBe(true)
  })
})
