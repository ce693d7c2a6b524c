import { describe, it } from 'vitest'
import type { GitCommand } from './command.ts'
import { createChangedFiles } from './diff/changed-files.ts'
import { HunkExcerpt } from './diff/hunk-excerpt.ts'
import { DiffScanner } from './diff/hunk-scanner.ts'
import { createBlames } from './history/blame.ts'
import { createChanges } from './history/changes.ts'
import { createMemo, type Memo } from './memo.ts'
import { parseCommit, signedPayload, formatIdentity, parseIdentity } from './object/commit.ts'
import { parseTag } from './object/tag.ts'
import { parseTree, serializeTree } from './object/tree.ts'
import type { Objects } from './read/objects.ts'
import { expectLinear } from '../../../../test/harness/growth.ts'

const OID = 'a'.repeat(40)
const PERSON = 'A <a@example.test> 1700000000 +0000'

describe('a commit', () => {
  it.each<[string, (size: number) => string]>([
    ['headers', (size) => 'a b\n'.repeat(size / 4)],
    ['parents', (size) => `parent ${OID}\n`.repeat(size / 48)],
    ['lines of one header', (size) => `gpgsig a\n${' a\n'.repeat(size / 3)}`],
    ['signatures', (size) => 'gpgsig a\n'.repeat(size / 9)],
    ['line ends of a signature', (size) => `gpgsig a\n${' \n'.repeat(size / 2)} a\n`],
    ['a signature without an end', (size) => `gpgsig ${'a'.repeat(size)}`],
    ['spaces in a name', (size) => `author a${' '.repeat(size)}b\n`],
    ['angle brackets', (size) => `author ${'<>'.repeat(size / 2)}\n`],
    ['spaces before the time', (size) => `author a <b>${' '.repeat(size)}x\n`],
    ['line ends in the message', (size) => `\n${'\n'.repeat(size)}`],
    ['names in an encoding', (size) => `author ${'é'.repeat(size / 2)} <>\nencoding latin1\n`],
  ])('is read in linear time: %s', (_, make) =>
    expectLinear(
      (content: Buffer) => [parseCommit(OID, content), signedPayload(content)],
      (size) => Buffer.from(`tree ${OID}\n${make(size)}`),
      250_000,
    ),
  )
})

describe('a tag', () => {
  it.each<[string, (size: number) => string]>([
    ['headers', (size) => 'a b\n'.repeat(size / 4)],
    ['begins of signatures', (size) => `\n${'-----BEGIN PGP SIGNATURE'.repeat(size / 24)}`],
    ['lines that are almost signatures', (size) => `\n${'-----BEGIN PGP SIGNATURE----\n'.repeat(size / 29)}`],
    ['hyphens', (size) => `\n${'-'.repeat(size)}`],
    ['line ends', (size) => `\n${'\n'.repeat(size)}-`],
  ])('is read in linear time: %s', (_, make) =>
    expectLinear(
      (content: Buffer) => parseTag(OID, content),
      (size) => Buffer.from(`object ${OID}\ntype commit\ntag a\ntagger ${PERSON}\n${make(size)}`),
      250_000,
    ),
  )
})

describe('a person', () => {
  it.each<[string, (size: number) => string]>([
    ['spaces', (size) => `a${' '.repeat(size)}b`],
    ['punctuation', (size) => `a${'.,'.repeat(size / 2)}b`],
    ['quotes', (size) => `${'"'.repeat(size)}a${'"'.repeat(size)}`],
    ['open brackets', (size) => '<'.repeat(size)],
    ['close brackets', (size) => '>'.repeat(size)],
    ['digits', (size) => `a <b> ${'1'.repeat(size)}`],
  ])('is read and written in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) => [parseIdentity(text), formatIdentity({ name: text, email: text, time: 0, offset: 0 })],
      make,
      250_000,
    ),
  )
})

describe('a tree', () => {
  it.each<[string, (size: number) => Buffer]>([
    ['entries', (size) => Buffer.concat(Array.from({ length: size / 30 }, (_, at) => entry('100644', String(at))))],
    [
      'names that are not UTF-8',
      (size) => Buffer.concat(Array.from({ length: size / 30 }, () => entry('40000', '\xff'))),
    ],
    ['a long mode', (size) => entry('1'.repeat(size), 'a')],
    ['a long name', (size) => entry('100644', 'a'.repeat(size))],
    ['NUL bytes', (size) => Buffer.alloc(size)],
    ['spaces', (size) => Buffer.alloc(size, ' ')],
  ])('is read and written in linear time: %s', (_, make) =>
    expectLinear((content: Buffer) => serializeTree(parseTree(OID, content, 'sha1')), make, 250_000),
  )
})

const entry = (mode: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.alloc(20, 1)])

/** What a pipe gives at once. */
const CHUNK = 64 * 1024

/** Runs nothing and prints the text. */
const printing = (text: string): GitCommand =>
  ({
    run: async () => ({ code: 0, stdout: Buffer.from(text), stderr: '' }),
    async *stream() {
      for (let at = 0; at < text.length; at += CHUNK) yield Buffer.from(text.slice(at, at + CHUNK))
    },
  }) as unknown as GitCommand

describe('what git prints', () => {
  const memo = {
    peek: () => undefined,
    get: (_: string, __: unknown, make: () => unknown) => make(),
  } as unknown as Memo

  it.each<[string, (size: number) => string]>([
    ['files', (size) => `:100644 100644 ${OID} ${OID} M\0a\0`.repeat(size / 100) + '1\t1\ta\0'.repeat(size / 100)],
    [
      'renames',
      (size) => `:100644 100644 ${OID} ${OID} R100\0a\0b\0`.repeat(size / 100) + '1\t1\t\0a\0b\0'.repeat(size / 100),
    ],
    ['commits', (size) => `${OID}\0`.repeat(size / 41)],
    ['a long number', (size) => '1'.repeat(size)],
    ['NUL bytes', (size) => '\0'.repeat(size)],
  ])('of changes is read in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) =>
        createChanges({
          format: 'sha1',
          cacheKey: '',
          objects: { commit: async () => ({ oid: OID, parents: [] }) } as unknown as Objects,
          command: printing(`${OID}\0${text}`),
          memo,
        }).ofCommits([OID]),
      make,
      250_000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['files', (size) => `:100644 100644 ${OID} ${OID} M\0a\0`.repeat(size / 100) + '1\t1\ta\0'.repeat(size / 100)],
    ['files without numbers', (size) => `:100644 100644 ${OID} ${OID} M\0a\0`.repeat(size / 100)],
    ['a long path', (size) => `:100644 100644 ${OID} ${OID} M\0${'a'.repeat(size)}`],
    ['tabs', (size) => '\t'.repeat(size)],
    ['NUL bytes', (size) => '\0'.repeat(size)],
  ])('of changed files is read in linear time: %s', (_, make) =>
    expectLinear(
      async (text: string) => {
        const context = { format: 'sha1', cacheKey: '', command: printing(text), memo: createMemo(1) } as const
        return [...(await createChangedFiles(context).list(OID, OID)).from(0)]
      },
      make,
      250_000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['hunks', (size) => '@@ -1 +1 @@\n-a\n+b\n'.repeat(size / 18)],
    ['lines', (size) => `@@ -0,0 +1,${size / 2} @@\n${'+\n'.repeat(size / 2)}`],
    ['a long line', (size) => `@@ -0,0 +1 @@\n+${'a'.repeat(size)}\n`],
    ['headers', (size) => 'a\n'.repeat(size / 2)],
    ['a long header', (size) => `@@ -${'1'.repeat(size)}`],
  ])('of a diff is read in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) => {
        for (const visitor of [new HunkExcerpt('new', 1_000_000_000), {}]) {
          const scanner = new DiffScanner(visitor)
          for (let at = 0; at < text.length; at += 997) scanner.push(Buffer.from(text.slice(at, at + 997)))
        }
      },
      make,
      250_000,
    ),
  )

  it.each<[string, (size: number) => string]>([
    ['hunks', (size) => `${OID} 1 1 1\nfilename a\n`.repeat(size / 58)],
    ['headers', (size) => `${OID} 1 1 1\n${'author a\n'.repeat(size / 9)}`],
    ['digits', (size) => `${OID} ${'1'.repeat(size)}`],
  ])('of blame is read in linear time: %s', (_, make) =>
    expectLinear(
      (text: string) =>
        createBlames({ format: 'sha1', cacheKey: '', command: printing(text), memo: createMemo(1) }).ofFile(OID, 'a'),
      make,
      250_000,
    ),
  )
})
