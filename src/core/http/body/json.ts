import { engineErrors, invalid } from '../../platform/errors.ts'
import { JSON_DEPTH, JSON_VALUES } from './limits.ts'

/** Tested on the whole text first, so that most texts are scanned only once. */
const FRACTION = /[[,:\s]-?\d+(?:\.|[eE])/

/**
 * The first value of a text; what follows it is ignored (behaviour/auth-and-access#request-decoding). Integers that are
 * written as fractions are bigints. Throws Invalid for text that is not JSON, that is nested deeper than JSON_DEPTH or
 * has more than JSON_VALUES values; these are counted before the text is parsed, so that rejecting it takes the time of
 * reading it once.
 */
export function parseJson(text: string): unknown {
  if (/^\s*null\b/.test(text)) return null
  const first = firstValue(text)
  try {
    return FRACTION.test(first) ? JSON.parse(first, keepFraction) : JSON.parse(first)
  } catch (error) {
    const message = (error as Error).message
    const isCutOff =
      /end of JSON|Unterminated/.test(message) ||
      Number(/at position (\d+)/.exec(message)?.[1]) >= first.trimEnd().length
    throw engineErrors.jsonInvalid(isCutOff ? 'unexpected EOF' : `invalid JSON: ${message.slice(0, 120)}`)
  }
}

/**
 * COMPAT: `1.0` and `1e2` are no integers (behaviour/auth-and-access#request-decoding;
 * src/core/http/body/decode.test.ts); no member is a bigint, so that these are refused.
 */
function keepFraction(_: string, value: unknown, ...[context]: unknown[]): unknown {
  const { source } = context as { readonly source?: string }
  return Number.isInteger(value) && source !== undefined && !/^-?\d+$/.test(source) ? BigInt(value as number) : value
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * The text up to the end of its first object, array or string; all of it when it begins with something else or has no
 * end. Every value but the first of an object or array follows a comma, so that brackets and commas are the values;
 * with its name it has at most two strings.
 */
function firstValue(text: string): string {
  let depth = 0
  let values = 0
  let strings = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        if (depth === 0) return text.slice(0, at + 1)
        if (++strings > 2 * JSON_VALUES) throw tooMany()
        break
      case COMMA:
        if (++values > JSON_VALUES) throw tooMany()
        break
      case OPENING_BRACKET:
      case OPENING_BRACE:
        if (++values > JSON_VALUES) throw tooMany()
        if (++depth > JSON_DEPTH) throw invalid(`[]: JSON is nested deeper than ${JSON_DEPTH} levels`)
        break
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        if (--depth <= 0) return text.slice(0, at + 1)
        break
      default:
    }
  }
  return text
}

const tooMany = (): Error => invalid(`[]: JSON has more than ${JSON_VALUES} values`)

/** Escaped quotation marks up to which the engine's search finds the end of a string sooner than a loop does. */
const SEARCHES = 100

/**
 * Index of the closing quotation mark of the string that begins at `start`; the end of the text if it has none. A
 * quotation mark is escaped if an odd number of backslashes precedes it.
 */
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (let search = 0; search < SEARCHES; search++) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let slashes = quote
    while (slashes > at && text.charCodeAt(slashes - 1) === BACKSLASH) slashes--
    if ((quote - slashes) % 2 === 0) return quote
    at = quote + 1
  }
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at
  }
  return text.length
}
