import { describe, it } from 'vitest'
import { isValidBranchName, isValidRefName, isValidTagName } from './refs.ts'
import { parsePackedRefs } from './ref-store.ts'
import { createRevisions, type RevisionContext } from './revision.ts'
import { expectLinear } from '../../../../../test/harness/growth.ts'

const OID = 'a'.repeat(40)

describe('a packed-refs file', () => {
  it.each<[string, (at: number) => string]>([
    ['refs', (at) => `${OID} refs/heads/${at}\n`],
    ['one ref again and again', () => `${OID} refs/heads/a\n`],
    ['peeled ids', () => `${OID} refs/tags/a\n^${OID}\n`],
    ['peeled ids of one tag', (at) => (at === 0 ? `${OID} refs/tags/a\n` : `^${OID}\n`)],
    ['comments', () => '# a\n'],
  ])('is read in linear time: %s', (_, line) =>
    expectLinear(parsePackedRefs, (size) => Array.from({ length: size }, (__, at) => line(at)).join(''), 10_000),
  )

  it.each<[string, (size: number) => string]>([
    ['a line of digits', (size) => 'a'.repeat(size)],
    ['a name of spaces', (size) => `${OID} refs/${' '.repeat(size)}\n`],
    ['no line end', (size) => `${OID} refs/${'a/'.repeat(size / 2)}`],
  ])('with one long line is read in linear time: %s', (_, make) => expectLinear(parsePackedRefs, make, 1_000_000))
})

const HOSTILE: [string, (size: number) => string][] = [
  ['slashes', (size) => `refs/${'/'.repeat(size)}`],
  ['components', (size) => `refs/${'a/'.repeat(size / 2)}a`],
  ['dots', (size) => `refs/${'a.'.repeat(size / 2)}`],
  ['names of locks', (size) => `refs/${'a.lock/'.repeat(size / 7)}`],
  ['at signs', (size) => `refs/${'@'.repeat(size)}{`],
  ['letters', (size) => `refs/${'a'.repeat(size)}`],
  ['half surrogates', (size) => `refs/${'\ud800'.repeat(size)}`],
]

describe('a ref name', () => {
  it.each(HOSTILE)('is checked in linear time: %s', (_, make) =>
    expectLinear(
      (name: string) => [isValidRefName(name), isValidBranchName(name), isValidTagName(name)],
      make,
      1_000_000,
    ),
  )
})

describe('a revision', () => {
  const snapshot = { head: undefined, detached: undefined, get: () => undefined, list: () => [], version: 1 }
  const context = {
    format: 'sha1',
    objects: { ask: async () => 'missing', findInfo: async () => undefined },
    refs: { snapshot: async () => snapshot },
  } as unknown as RevisionContext
  const revisions = createRevisions(context)

  it.each<[string, (size: number) => string]>([
    ...HOSTILE,
    ['parents', (size) => `main${'~1'.repeat(size / 2)}`],
    ['carets', (size) => `main${'^'.repeat(size)}{`],
    ['types', (size) => `main${'^{commit}'.repeat(size / 9)}x`],
    ['digits', (size) => `main${'~111111'.repeat(size / 7)}1`],
    ['a path', (size) => `main:${'a/'.repeat(size / 2)}\n`],
    ['colons', (size) => `main${':'.repeat(size)}\0`],
    ['hexadecimal digits', (size) => 'a'.repeat(size)],
  ])('is read in linear time: %s', (_, make) =>
    expectLinear(
      async (text: string) => [
        await revisions.findLoose(text),
        await revisions.findStrict(text),
        await revisions.findShort(text),
      ],
      make,
      1_000_000,
    ),
  )
})
