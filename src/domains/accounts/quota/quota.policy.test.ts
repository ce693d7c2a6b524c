import { describe, expect, it } from 'vitest'
import {
  isWithinAnyGroup,
  isWithinGroup,
  isQuotaSubject,
  QUOTA_SUBJECTS,
  type QuotaLimits,
  type QuotaUsage,
  usedOf,
} from './quota.policy.ts'

const usage: QuotaUsage = {
  reposPublic: 1,
  reposPrivate: 10,
  lfs: 100,
  issueAttachments: 1000,
  releaseAttachments: 10_000,
  artifacts: 100_000,
  packages: 1_000_000,
}
const rule = (limit: number, ...subjects: QuotaLimits['subjects'][number][]): QuotaLimits => ({ limit, subjects })

describe('usedOf', () => {
  it.each([
    ['none', 0],
    ['size:all', 1_111_111],
    ['size:repos:all', 11],
    ['size:repos:public', 1],
    ['size:repos:private', 10],
    ['size:git:all', 111],
    ['size:git:lfs', 100],
    ['size:assets:all', 1_111_000],
    ['size:assets:attachments:all', 11_000],
    ['size:assets:attachments:issues', 1000],
    ['size:assets:attachments:releases', 10_000],
    ['size:assets:artifacts', 100_000],
    ['size:assets:packages:all', 1_000_000],
    ['size:assets:wiki', 0],
  ] as const)('%s is %i', (subject, bytes) => {
    expect(usedOf(usage, subject)).toBe(bytes)
  })

  it('covers every module', () => {
    expect(QUOTA_SUBJECTS.every(isQuotaSubject)).toBe(true)
    expect(isQuotaSubject('size:everything')).toBe(false)
  })
})

describe('the rules of a group', () => {
  it('allow usage up to the limit; -1 is no limit, 0 allows no bytes', () => {
    expect(isWithinGroup([rule(11, 'size:repos:all')], usage, 'size:repos:all')).toBe(true)
    expect(isWithinGroup([rule(10, 'size:repos:all')], usage, 'size:repos:all')).toBe(false)
    expect(isWithinGroup([rule(-1, 'none')], usage, 'size:git:lfs')).toBe(true)
    expect(isWithinGroup([rule(0, 'size:git:lfs')], usage, 'size:git:lfs')).toBe(false)
    expect(isWithinGroup([rule(0, 'size:assets:wiki')], usage, 'size:assets:wiki')).toBe(true)
  })

  it('limit the sum of several subjects', () => {
    expect(isWithinGroup([rule(109, 'size:repos:private', 'size:git:lfs')], usage, 'size:git:lfs')).toBe(false)
    expect(isWithinGroup([rule(110, 'size:repos:private', 'size:git:lfs')], usage, 'size:git:lfs')).toBe(true)
  })

  it('must all allow the usage', () => {
    expect(isWithinGroup([rule(1000, 'size:git:lfs'), rule(99, 'size:git:lfs')], usage, 'size:git:lfs')).toBe(false)
  })

  it('decide for a subject by its parts when no rule names the subject', () => {
    expect(isWithinGroup([rule(1, 'size:repos:public')], usage, 'size:all')).toBe(true)
    expect(isWithinGroup([rule(1, 'size:repos:public'), rule(9, 'size:repos:private')], usage, 'size:all')).toBe(false)
    expect(isWithinGroup([rule(9, 'size:repos:private'), rule(2_000_000, 'size:all')], usage, 'size:all')).toBe(true)
    expect(isWithinGroup([rule(1, 'size:all')], usage, 'size:git:lfs')).toBeUndefined()
    expect(isWithinGroup([], usage, 'size:all')).toBeUndefined()
  })
})

describe('several groups', () => {
  it('allow the usage when one of them does, but not when no group limits the subject', () => {
    expect(isWithinAnyGroup([[rule(0, 'size:all')], [rule(-1, 'size:all')]], usage, 'size:all')).toBe(true)
    expect(isWithinAnyGroup([[rule(0, 'size:all')], [rule(20, 'size:repos:all')]], usage, 'size:repos:all')).toBe(true)
    expect(isWithinAnyGroup([[rule(0, 'size:all')]], usage, 'size:repos:all')).toBe(false)
    expect(isWithinAnyGroup([], usage, 'size:all')).toBe(false)
  })
})
