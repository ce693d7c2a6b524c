import { invalid } from '../../../../core/platform/errors.ts'

const OTHER = 0
const DIGIT = 1
const LINE_END = 2

/** The kind of each ASCII character, by code. */
const KINDS = new Uint8Array(128)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') KINDS[char.charCodeAt(0)] = DIGIT
for (const char of '\r\n') KINDS[char.charCodeAt(0)] = LINE_END

/**
 * Decodes standard base64; line breaks are ignored. Throws Invalid with the position of the first illegal byte
 * (behaviour/git-data-and-transport#writing-contents).
 */
export function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (isPlain(text, bytes.length)) return bytes
  const { end, inGroup } = readDigits(text)
  const isWhole = end === text.length ? inGroup === 0 : isPadding(text, end, inGroup)
  if (!isWhole) throw invalid(`illegal base64 data at input byte ${illegalAt(text, end, inGroup)}`)
  return bytes
}

/**
 * Whether a text is base64 in one line. NOTE: the decoder of Node.js skips unknown characters, so invalid text decodes
 * to fewer bytes; it also accepts the two digits of the URL alphabet.
 */
function isPlain(text: string, bytes: number): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return bytes === (text.length / 4) * 3 - padding && !text.includes('-') && !text.includes('_')
}

/** The end of the digits of a text, and the number of digits in the last group of four. */
function readDigits(text: string): { readonly end: number; readonly inGroup: number } {
  let digits = 0
  let end = 0
  for (; end < text.length; end++) {
    const kind = KINDS[text.charCodeAt(end)] ?? OTHER
    if (kind === OTHER) break
    if (kind === DIGIT) digits++
  }
  return { end, inGroup: digits % 4 }
}

/** Whether the text from `at` on is the padding `=` of the last group. */
function isPadding(text: string, at: number, inGroup: number): boolean {
  if (text[at] !== '=' || inGroup < 2) return false
  const next = skipLineEnds(text, at + 1)
  if (inGroup === 3) return next === text.length
  return text[next] === '=' && skipLineEnds(text, next + 1) === text.length
}

/**
 * COMPAT: the position at which a decoder that reads groups of four stops, in bytes of the text as it was sent
 * (src/domains/code/contents/write/base64.test.ts).
 */
function illegalAt(text: string, at: number, inGroup: number): number {
  if (at === text.length) return Buffer.byteLength(text) - inGroup
  return text[at] === '=' && inGroup >= 2 ? atPadding(text, at, inGroup) : byteAt(text, at)
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
