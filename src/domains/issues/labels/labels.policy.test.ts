import { describe, expect, it } from 'vitest'
import { exclusiveScope, readColor } from './labels.policy.ts'

describe('readColor', () => {
  it.each([
    ['#FF0000', 'ff0000'],
    ['ff0000', 'ff0000'],
    ['0aF', '00aaff'],
    [' #abc ', 'aabbcc'],
  ])('accepts %j', (text, color) => {
    expect(readColor(text)).toBe(color)
  })

  it.each(['', '#', 'red', '#12345', '##123456', '1234567', 'ff00 00', '#gggggg', 'fff\nfff'])('refuses %j', (text) => {
    expect(readColor(text)).toBeUndefined()
  })
})

describe('exclusiveScope', () => {
  it.each([
    ['prio/high', 'prio'],
    ['prio/sub/low', 'prio/sub'],
    ['bug', undefined],
    ['/bug', undefined],
    ['bug/', undefined],
    ['a/b/', undefined],
    ['//b', '/'],
  ])('returns for %j: %j', (name, scope) => {
    expect(exclusiveScope({ name, isExclusive: true })).toBe(scope)
    expect(exclusiveScope({ name, isExclusive: false })).toBeUndefined()
  })
})
