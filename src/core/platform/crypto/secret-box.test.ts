import { createCipheriv } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSecretBox, deriveSecretKey, type SecretBox } from './secret-box.ts'

const boxOf = (...secrets: string[]): SecretBox => createSecretBox(() => secrets.map(deriveSecretKey))

/** Seals like versions before key ids. */
function sealUnnamed(secret: string, plain: string, context: string): string {
  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv('aes-256-gcm', deriveSecretKey(secret).bytes, nonce).setAAD(Buffer.from(context))
  return `v1.${Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url')}`
}

it('opens what it sealed, and only with the same key and context', () => {
  const box = boxOf('one')
  const sealed = box.seal('pässword', 'here')
  expect(sealed).not.toContain('pässword')
  expect(box.seal('pässword', 'here')).not.toBe(sealed)
  expect(box.open(sealed, 'here')).toBe('pässword')
  expect(() => box.open(sealed, 'there')).toThrow()
  expect(() => boxOf('two').open(sealed, 'here')).toThrow('which this server does not have')
  expect(() => box.open(`${sealed.slice(0, -4)}AAAA`, 'here')).toThrow()
  for (const text of ['plain', '', 'v1.', 'v2.', 'v2.abc', 'v2.00.!!'])
    expect(() => box.open(text, 'here'), text).toThrow('not a sealed secret')
  expect(() => box.open('v1.AAAA', 'here')).toThrow()
})

it('names the key in each text: the first key seals, every known key opens', () => {
  const old = boxOf('one').seal('text', 'here')
  const both = boxOf('two', 'one')
  expect(both.open(old, 'here')).toBe('text')
  const renewed = both.seal('text', 'here')
  expect(renewed.startsWith(both.prefix())).toBe(true)
  expect(old.startsWith(both.prefix())).toBe(false)
  expect(boxOf('two').prefix()).toBe(both.prefix())
  expect(boxOf('two').open(renewed, 'here')).toBe('text')
})

it('opens texts of earlier versions, which name no key, with each known key', () => {
  const sealed = sealUnnamed('one', 'text', 'here')
  expect(boxOf('one').open(sealed, 'here')).toBe('text')
  expect(boxOf('three', 'two', 'one').open(sealed, 'here')).toBe('text')
  expect(() => boxOf('two', 'three').open(sealed, 'here')).toThrow()
})

it('derives keys to sign with from each of its keys, for one purpose', () => {
  const [one] = boxOf('one').signingKeys('here')
  expect(boxOf('two', 'one').signingKeys('here')[1]).toEqual(one)
  expect(boxOf('two', 'one').signingKeys('here')[0]).not.toEqual(one)
  expect(boxOf('one').signingKeys('there')[0]).not.toEqual(one)
})
