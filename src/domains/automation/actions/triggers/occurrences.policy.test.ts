import { expect, it } from 'vitest'
import { asksToSkip } from './occurrences.policy.ts'

it.each([
  ['Fix it [skip ci]', true],
  ['[ci skip] Fix it', true],
  ['Fix it\n\n[no ci]', true],
  ['[SKIP Actions]', true],
  ['x [actions skip] y', true],
  ['skip ci', false],
  ['[skip  ci]', false],
  ['[skip cid]', false],
])('a text asks to start nothing: %j %s', (text, wanted) => {
  expect(asksToSkip(['', text])).toBe(wanted)
})
