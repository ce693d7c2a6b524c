import { invalid } from '../../../platform/errors.ts'

const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Decodes standard base64; line breaks are ignored. Throws Invalid with the position of the first illegal byte
 * (behaviour/git-data-and-transport#writing-contents).
 */
export function decodeBase64(text: string): Buffer {
  const plain = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text
  if (!FORM.test(plain)) throw invalid(`illegal base64 data at input byte ${firstIllegal(text)}`)
  return Buffer.from(plain, 'base64')
}

/**
 * COMPAT: the position at which a decoder that reads groups of four stops, in bytes of the text as it was sent
 * (src/subjects/contents/write/base64.test.ts).
 */
function firstIllegal(text: string): number {
  let inGroup = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '\r' || char === '\n') continue
    if (char === '=') return inGroup < 2 ? byteAt(text, at) : atPadding(text, at, inGroup)
    if (!/[A-Za-z0-9+/]/.test(char)) return byteAt(text, at)
    inGroup = (inGroup + 1) % 4
  }
  return Buffer.byteLength(text) - inGroup
}

function atPadding(text: string, at: number, inGroup: number): number {
  let next = skipLineEnds(text, at + 1)
  if (inGroup === 2) {
    if (next === text.length) return Buffer.byteLength(text)
    if (text[next] !== '=') return byteAt(text, next) - 1
    next = skipLineEnds(text, next + 1)
  }
  return byteAt(text, next)
}

function skipLineEnds(text: string, from: number): number {
  let at = from
  while (text[at] === '\r' || text[at] === '\n') at++
  return at
}

const byteAt = (text: string, at: number): number => Buffer.byteLength(text.slice(0, at))
