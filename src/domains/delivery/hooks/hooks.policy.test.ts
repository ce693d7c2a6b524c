import { expect, it } from 'vitest'
import { branchFilterProblem } from './hooks.policy.ts'

it.each(['', '*', '**', 'main', 'v*', '[ab]', '[!a-z]', '[]x]', '{a,b{c,d}}', String.raw`\[a`])(
  '%j is a branch filter',
  (filter) => {
    expect(branchFilterProblem(filter)).toBeUndefined()
  },
)

it.each(['[a', '[', '{a,b', 'a}', 'a\\', '[]'])('%j is not a branch filter', (filter) => {
  expect(branchFilterProblem(filter)).toBeTypeOf('string')
})
