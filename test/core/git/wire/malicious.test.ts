import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, processesWith, tempDir, until } from './client.ts'
import { byHand, objectHead, type HandType } from './pack-by-hand.ts'
import { startWireServer, type WireServer } from './server.ts'
import { MEASURED } from '../../../harness/measured.ts'

const dir = tempDir()
let server: WireServer
let count = 0

beforeAll(async () => {
  server = await startWireServer({ dir: dir.path })
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

const pkt = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
type Objects = readonly (readonly [type: HandType, content: Buffer])[]

describe.each(['sha1', 'sha256'] as const)('malicious packs for a %s repository', (format) => {
  const { oid, pack, sealed, entry, commitOf, zero } = byHand(format)
  const blob = Buffer.from('x')
  const EMPTY = Buffer.alloc(0)
  const blobId = oid('blob', blob)

  /** Pushes a tip with a pack; what the server says, and that nothing of it stays. */
  async function refused(tip: string, body: Buffer): Promise<string> {
    const name = `${format}-${count++}`
    const repo = await server.repo(name, format)
    const caps = `report-status${format === 'sha256' ? ' object-format=sha256' : ''}`
    const command = Buffer.from(`${pkt(`${zero} ${tip} refs/heads/main\0${caps}`)}0000`)
    const answer = await (
      await fetch(`${server.url}/${name}.git/git-receive-pack`, {
        method: 'POST',
        body: new Uint8Array(Buffer.concat([command, body])),
      })
    ).text()
    await until('no process is left', async () => (await processesWith(repo.path)) === 0)
    expect(readdirSync(join(repo.path, 'objects')).sort()).toEqual(['info', 'pack'])
    expect(readdirSync(join(repo.path, 'objects', 'pack'))).toEqual([])
    expect(await git(repo.path, ['for-each-ref'])).toBe('')
    expect(answer).toContain('ng refs/heads/main')
    expect(answer).not.toContain(dir.path)
    return answer
  }

  const withTree = (tree: Buffer, more: Objects = []): [string, Buffer] => {
    const commit = commitOf(oid('tree', tree))
    return [oid('commit', commit), pack([['blob', blob], ['tree', EMPTY], ...more, ['tree', tree], ['commit', commit]])]
  }

  it.each([
    '.git',
    '.GIT',
    '.Git',
    'git~1',
    'GIT~1',
    '.git ',
    '.git.',
    '.git...',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    '.g\u200cit',
    '.gi\u200dt',
    '\u200e.git',
    '.git\u202a',
    '.g\ufeffit',
  ])('a file with the name %j is refused', async (name) => {
    expect(await refused(...withTree(entry('100644', name, blobId)))).toMatch(/hasDotgit/)
  })

  it.each([
    ['.', /hasDot/],
    ['..', /hasDotdot/],
    ['', /empty filename/],
    ['a/b', /fullPathname/],
  ])('a directory with the name %j is refused', async (name, reason) => {
    expect(await refused(...withTree(entry('40000', name, oid('tree', EMPTY))))).toMatch(reason)
  })

  it('trees that no git makes are refused', async () => {
    expect(
      await refused(...withTree(Buffer.concat([entry('100644', 'a', blobId), entry('100644', 'a', blobId)]))),
    ).toMatch(/duplicateEntries/)
    expect(
      await refused(...withTree(Buffer.concat([entry('100644', 'b', blobId), entry('100644', 'a', blobId)]))),
    ).toMatch(/treeNotSorted/)
    expect(await refused(...withTree(entry('100644', 'a', zero)))).toMatch(/nullSha1/)
    expect(await refused(...withTree(entry('100644', 'a', blobId).subarray(0, -3)))).toMatch(
      /badTree|too-short|truncated|not a valid/i,
    )
  })

  it.each([
    ['a link', '120000', '../../etc/passwd', /gitmodulesSymlink/],
    ['an address that is an option', '100644', '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n', /gitmodulesUrl/],
    [
      'a path that is an option',
      '100644',
      '[submodule "a"]\n\tpath = -fish\n\turl = https://x.test/y\n',
      /gitmodulesPath/,
    ],
    [
      'a name that leads upwards',
      '100644',
      '[submodule "../../hooks"]\n\tpath = a\n\turl = https://x.test/y\n',
      /gitmodulesName/,
    ],
    [
      'an update that is a command',
      '100644',
      '[submodule "a"]\n\tpath = a\n\turl = https://x.test/y\n\tupdate = !rm -rf /\n',
      /gitmodulesUpdate/,
    ],
  ])('a .gitmodules with %s is refused', async (_, mode, text, reason) => {
    const content = Buffer.from(text)
    for (const name of ['.gitmodules', '.GITMODULES', 'gitmod~1'])
      expect(await refused(...withTree(entry(mode, name, oid('blob', content)), [['blob', content]])), name).toMatch(
        reason,
      )
  })

  it.each([
    ['without an author', (tree: string) => `tree ${tree}\ncommitter A <a@b> 1 +0000\n\nx\n`, /missingAuthor/],
    [
      'with a broken address',
      (tree: string) => `tree ${tree}\nauthor A a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
      /missingEmail|badName|missingNameBeforeEmail/,
    ],
    [
      'with a date beyond all time',
      (tree: string) => `tree ${tree}\nauthor A <a@b> 99999999999999999999 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
      /badDateOverflow/,
    ],
    [
      'with two authors',
      (tree: string) =>
        `tree ${tree}\nauthor A <a@b> 1 +0000\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
      /multipleAuthors|missingCommitter/,
    ],
    [
      'with a NUL in its head',
      (tree: string) => `tree ${tree}\nauthor A\0 <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
      /nulInHeader/,
    ],
    ['without a tree', () => 'author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n', /bogus commit object/],
  ])('a commit %s is refused', async (_, text, reason) => {
    const commit = Buffer.from(text(oid('tree', EMPTY)))
    expect(
      await refused(
        oid('commit', commit),
        pack([
          ['tree', EMPTY],
          ['commit', commit],
        ]),
      ),
    ).toMatch(reason)
  })

  it.each([
    ['claims more objects than there are', () => sealed([objectHead(3, 1), deflateSync(blob)], 3)],
    ['claims four billion objects', () => sealed([objectHead(3, 1), deflateSync(blob)], 0xff_ff_ff_ff)],
    ['claims an object of a terabyte', () => sealed([objectHead(3, 2 ** 40), deflateSync(blob)], 1)],
    [
      'claims an object that is shorter than its bytes',
      () => sealed([objectHead(3, 1), deflateSync(Buffer.alloc(200_000))], 1),
    ],
    ['has an unknown type', () => sealed([objectHead(5, 1), deflateSync(blob)], 1)],
    [
      'has a delta to itself',
      () => sealed([objectHead(6, 4), Buffer.from([0]), deflateSync(Buffer.from([1, 1, 1, 65]))], 1),
    ],
    [
      'has a delta to something before the pack',
      () => sealed([objectHead(6, 4), Buffer.from([0x80, 0x80, 0x7f]), deflateSync(Buffer.from([1, 1, 1, 65]))], 1),
    ],
    [
      'has a delta to what is not there',
      () =>
        sealed(
          [objectHead(7, 4), Buffer.from('12'.repeat(zero.length / 2), 'hex'), deflateSync(Buffer.from([1, 1, 1, 65]))],
          1,
        ),
    ],
    ['is of a version to come', () => Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 9, 0, 0, 0, 1])])],
  ])('a pack that %s is refused', MEASURED, async (_, make) => {
    const before = process.memoryUsage.rss()
    await refused(blobId, make()).catch((error: Error) => {
      // What is no pack at all is a broken conversation: it ends without a report.
      if (!error.message.includes("to contain 'ng refs/heads/main'")) throw error
    })
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  })

  it.each([
    ['few', 0],
    ['many', 150],
  ])('a branch that is no commit is refused, among %s objects', async (_, more) => {
    const blobs = Array.from({ length: more }, (__, index) => ['blob', Buffer.from(`${index}`)] as const)
    const tag = Buffer.from(`object ${blobId}\ntype blob\ntag v1\ntagger A <a@b> 1 +0000\n\nx\n`)
    for (const [tip, last] of [
      [blobId, ['blob', blob]],
      [oid('tag', tag), ['tag', tag]],
    ] as const) {
      expect(await refused(tip, pack([...blobs, ['blob', blob], ...(last[0] === 'blob' ? [] : [last])]))).toContain(
        'ng refs/heads/main a branch must point to a commit',
      )
    }
  })
})

it('a push of 100,000 refs is read to its end and refused with the limit', MEASURED, async () => {
  const repo = await server.repo('many')
  const { zero, oid } = byHand('sha1')
  const tip = oid('blob', Buffer.from('x'))
  const commands = Array.from({ length: 100_000 }, (_, index) => pkt(`${zero} ${tip} refs/tags/t${index}`))
  const start = process.cpuUsage()
  const answer = await fetch(`${server.url}/many.git/git-receive-pack`, {
    method: 'POST',
    body: [pkt(`${zero} ${tip} refs/heads/main\0report-status`), ...commands, '0000PACK'].join(''),
  })
  expect(await answer.text()).toBe(pkt('ERR more than 10000 refs in one push: push them in parts\n'))
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000)
  expect(await git(repo.path, ['for-each-ref'])).toBe('')
})
