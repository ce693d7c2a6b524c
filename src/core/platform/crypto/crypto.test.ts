import { expect, it } from 'vitest'
import { randomPassword } from './crypto.ts'

it('generates passwords that satisfy any rules and do not look like command-line options', () => {
  for (let count = 0; count < 200; count++) {
    const password = randomPassword()
    for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/, /^[^-].{15,}$/]) expect(password).toMatch(kind)
  }
  for (const length of [16, 100, 254, 255]) expect(randomPassword(length)).toHaveLength(length)
})
