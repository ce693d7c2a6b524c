import { describe, expect, it } from 'vitest'
import { contentType, sniffMediaType } from './media-type.ts'

describe('what bytes are', () => {
  it.each([
    ['plain words\r\n\ttabbed\fpage \u001b[1m', 'text/plain'],
    ['naïve', 'text/plain'],
    ['', 'text/plain'],
    ['no\u0000text', 'application/octet-stream'],
    ['\u0007\u0007\u0007', 'application/octet-stream'],
    ['a\u000bb', 'application/octet-stream'],
    ['a\u001ab', 'application/octet-stream'],
    ['a\u001fb', 'application/octet-stream'],
  ])('%j is %s', (text, type) => {
    expect(sniffMediaType(Buffer.from(text))).toBe(type)
    expect(contentType('file', Buffer.from(text)).split(';')[0]).toBe(type)
  })
})
