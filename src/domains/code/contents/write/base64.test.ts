import { describe, expect, it } from 'vitest'
import { decodeBase64 } from './base64.ts'

describe('standard base64', () => {
  it.each([
    ['', ''],
    ['aGk=', 'hi'],
    ['aGkK', 'hi\n'],
    ['aG\r\nk=\n', 'hi'],
    ['/+8=', '\u00ff\u00ef'],
  ])('decodes %j', (text, bytes) => {
    expect(decodeBase64(text).toString('latin1')).toBe(bytes)
  })

  it.each([
    ['***', 0],
    ['aG k=', 2],
    ['aGk_', 3],
    ['aGk', 0],
    ['aGkaG', 4],
    ['a===', 1],
    ['aG=', 3],
    ['aG=k', 2],
    ['aGk==', 4],
    ['aGk=aGk=', 4],
    ['aGka====', 4],
    ['aGk=x', 4],
    ['\u00fcaGk', 0],
    ['aG\u00fc', 2],
    ['aG_-', 2],
    ['aGk=aGkaG===', 4],
  ])('rejects %j at byte %i', (text, at) => {
    expect(() => decodeBase64(text)).toThrow(`illegal base64 data at input byte ${at}`)
  })
})
