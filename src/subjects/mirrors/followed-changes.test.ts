import { describe, expect, it } from 'vitest'
import type { RefSnapshot } from '../../git/index.ts'
import { followedChanges, nextDefaultBranch } from './followed-changes.ts'

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

describe('changes of a mirror', () => {
  const local = snapshot({
    'refs/heads/main': oid('1'),
    'refs/heads/old': oid('2'),
    'refs/tags/v1': oid('3'),
    'refs/pull/1/head': oid('4'),
  })

  it('are none when nothing differs', () => {
    expect(
      followedChanges(
        local,
        remote({ 'refs/heads/main': oid('1'), 'refs/heads/old': oid('2'), 'refs/tags/v1': oid('3') }),
        { isPruning: true, zeroOid },
      ),
    ).toEqual([])
  })

  it('make, move and prune, but only what a remote can have', () => {
    const changes = followedChanges(local, remote({ 'refs/heads/main': oid('5'), 'refs/tags/v2': oid('6') }), {
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

  it('leave what is gone without pruning, unless it stands in the way', () => {
    const refs = remote({ 'refs/heads/main': oid('1'), 'refs/heads/old/er': oid('7') })
    expect(followedChanges(local, refs, { isPruning: false, zeroOid })).toEqual([
      { ref: 'refs/heads/old', oldOid: oid('2'), newOid: zeroOid },
      { ref: 'refs/heads/old/er', oldOid: zeroOid, newOid: oid('7') },
    ])
    const deep = snapshot({ 'refs/heads/a/b': oid('1') })
    expect(followedChanges(deep, remote({ 'refs/heads/a': oid('2') }), { isPruning: false, zeroOid })[0]).toEqual({
      ref: 'refs/heads/a/b',
      oldOid: oid('1'),
      newOid: zeroOid,
    })
  })

  it('never take names that git would not', () => {
    expect(
      followedChanges(snapshot({}), remote({ 'refs/heads/a..b': oid('1'), 'refs/heads/-x': oid('1') }), {
        isPruning: true,
        zeroOid,
      }).map(({ ref }) => ref),
    ).toEqual(['refs/heads/-x'])
  })
})

describe('the default branch of a mirror', () => {
  const refs = remote({ 'refs/heads/main': oid('1'), 'refs/heads/next': oid('2') })

  it('follows HEAD of the remote when that has moved', () => {
    expect(nextDefaultBranch({ current: 'main', head: 'next', knownHead: 'main', remote: refs, gone: [] })).toBe('next')
    expect(
      nextDefaultBranch({ current: 'main', head: 'next', knownHead: 'next', remote: refs, gone: [] }),
    ).toBeUndefined()
    expect(
      nextDefaultBranch({ current: 'main', head: 'missing', knownHead: 'main', remote: refs, gone: [] }),
    ).toBeUndefined()
  })

  it('is never a branch that has gone', () => {
    expect(
      nextDefaultBranch({ current: 'old', head: undefined, knownHead: '', remote: refs, gone: ['refs/heads/old'] }),
    ).toBe('main')
    expect(
      nextDefaultBranch({ current: 'old', head: 'next', knownHead: 'next', remote: refs, gone: ['refs/heads/old'] }),
    ).toBe('next')
  })
})
