import { expect, it } from 'vitest'
import { accountNameOf } from './account-name.policy.ts'

it.each([
  ['ann', 'ann'],
  ['Ann.Archer', 'Ann.Archer'],
  ['ann@example.test', 'ann'],
  ['jürgen', 'jurgen'],
  ['ann archer', 'ann-archer'],
  ['CORP\\ann', 'CORP-ann'],
  ['..ann__b..', 'ann-b'],
  ['a'.repeat(60), 'a'.repeat(40)],
  ['', undefined],
  ['@example.test', undefined],
  ['王', undefined],
  ['ghost', undefined],
])('names the account of %j %j', (login, name) => expect(accountNameOf(login)).toBe(name))
