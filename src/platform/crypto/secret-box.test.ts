import { expect, it } from 'vitest'
import { createSecretBox } from './secret-box.ts'

it('opens what it sealed, and only with the same key and context', () => {
  const box = createSecretBox('one')
  const sealed = box.seal('pässword', 'here')
  expect(sealed).not.toContain('pässword')
  expect(box.seal('pässword', 'here')).not.toBe(sealed)
  expect(box.open(sealed, 'here')).toBe('pässword')
  expect(() => box.open(sealed, 'there')).toThrow()
  expect(() => createSecretBox('two').open(sealed, 'here')).toThrow()
  expect(() => box.open(`${sealed.slice(0, -4)}AAAA`, 'here')).toThrow()
  expect(() => box.open('plain', 'here')).toThrow('not a sealed secret')
})
