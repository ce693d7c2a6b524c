import { expect, it } from 'vitest'
import { passwordProblem } from '../users.policy.ts'

const problem = (password: string, complexity = 'off') => passwordProblem(password, { minLength: 8, complexity })

it('counts the length of a password in characters', () => {
  expect([problem(''), problem('1234567'), problem('12345678')]).toEqual(['short', 'short', undefined])
  expect([problem('😀'.repeat(7)), problem('😀'.repeat(255)), problem('x'.repeat(256))]).toEqual([
    'short',
    undefined,
    'long',
  ])
})

it('requires every configured kind of character', () => {
  expect(problem('aaaaaaaa', 'lower')).toBeUndefined()
  expect(problem('AAAAAAAA', 'lower')).toBe('simple')
  expect(problem('aaaaAAAA', 'lower,upper')).toBeUndefined()
  expect(problem('aaaaAAAA', 'lower, upper ,digit')).toBe('simple')
  expect(problem('aaaAAA11', 'lower,upper,digit,spec')).toBe('simple')
  for (const mark of ' -_!€') expect(problem(`aaaAA11${mark}`, 'lower,upper,digit,spec'), mark).toBeUndefined()
  expect(problem('ÄÄÄÄßßßß1', 'upper,lower,spec')).toBe('simple')
})
