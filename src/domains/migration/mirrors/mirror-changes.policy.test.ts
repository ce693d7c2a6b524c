import { describe, expect, it } from 'vitest'
import type { RefSnapshot } from '../../../core/git/index.ts'
import { mirrorChanges, nextDefaultBranch } from './mirror-changes.policy.ts'

const zeroOid = '0'.repeat(40)
const oid = (digit: string): string => digit.repeat(40)

function snapshot(refs: Record<string, string>): RefSnapshot {
  const all = Object.entries(refs).map(([name, value]) => ({ name, oid: value }))
  return {
    head: undefined,
    detached: undefined,
    version: 1,
    get: (name) => all.find((ref) => ref.name === name),
    list: (prefix) => all.filter((ref) => ref.name.startsWith(prefix)),
  }
}
const remote = (refs: Record<string, string>): ReadonlyMap<string, string> => new Map(Object.entries(refs))

describe('mirrorChanges', () => {
  const local = snapshot({
    'refs/heads/main': oid('1'),
    'refs/heads/old': oid('2'),
    'refs/tags/v1': oid('3'),
    'refs/pull/1/head': oid('4'),
  })

  it('returns nothing if the refs are equal', () => {
    expect(
      mirrorChanges(
        local,
        remote({ 'refs/heads/main': oid('1'), 'refs/heads/old': oid('2'), 'refs/tags/v1': oid('3') }),
        { isPruning: true, zeroOid },
      ),
    ).toEqual([])
  })

  it('creates, moves and prunes branches and tags, and ignores other refs', () => {
    const changes = mirrorChanges(local, remote({ 'refs/heads/main': oid('5'), 'refs/tags/v2': oid('6') }), {
      isPruning: true,
      zeroOid,
    })
    expect(changes).toEqual([
      { ref: 'refs/heads/old', oldOid: oid('2'), newOid: zeroOid },
      { ref: 'refs/tags/v1', oldOid: oid('3'), newOid: zeroOid },
      { ref: 'refs/heads/main', oldOid: oid('1'), newOid: oid('5') },
      { ref: 'refs/tags/v2', oldOid: zeroOid, newOid: oid('6') },
    ])
  })

  it('without pruning deletes only refs whose name conflicts with a new ref', () => {
    const refs = remote({ 'refs/heads/main': oid('1'), 'refs/heads/old/er': oid('7') })
    expect(mirrorChanges(local, refs, { isPruning: false, zeroOid })).toEqual([
      { ref: 'refs/heads/old', oldOid: oid('2'), newOid: zeroOid },
      { ref: 'refs/heads/old/er', oldOid: zeroOid, newOid: oid('7') },
    ])
    const deep = snapshot({ 'refs/heads/a/b': oid('1') })
    expect(mirrorChanges(deep, remote({ 'refs/heads/a': oid('2') }), { isPruning: false, zeroOid })[0]).toEqual({
      ref: 'refs/heads/a/b',
      oldOid: oid('1'),
      newOid: zeroOid,
    })
  })

  it('ignores ref names that git refuses', () => {
    expect(
      mirrorChanges(snapshot({}), remote({ 'refs/heads/a..b': oid('1'), 'refs/heads/-x': oid('1') }), {
        isPruning: true,
        zeroOid,
      }).map(({ ref }) => ref),
    ).toEqual(['refs/heads/-x'])
  })
})

describe('nextDefaultBranch', () => {
  const refs = remote({ 'refs/heads/main': oid('1'), 'refs/heads/next': oid('2') })

  it('is the HEAD of the remote if that has changed', () => {
    expect(nextDefaultBranch({ current: 'main', head: 'next', lastHead: 'main', remote: refs, deletedRefs: [] })).toBe(
      'next',
    )
    expect(
      nextDefaultBranch({ current: 'main', head: 'next', lastHead: 'next', remote: refs, deletedRefs: [] }),
    ).toBeUndefined()
    expect(
      nextDefaultBranch({ current: 'main', head: 'missing', lastHead: 'main', remote: refs, deletedRefs: [] }),
    ).toBeUndefined()
  })

  it('is never a deleted branch', () => {
    expect(
      nextDefaultBranch({
        current: 'old',
        head: undefined,
        lastHead: '',
        remote: refs,
        deletedRefs: ['refs/heads/old'],
      }),
    ).toBe('main')
    expect(
      nextDefaultBranch({
        current: 'old',
        head: 'next',
        lastHead: 'next',
        remote: refs,
        deletedRefs: ['refs/heads/old'],
      }),
    ).toBe('next')
  })
})
