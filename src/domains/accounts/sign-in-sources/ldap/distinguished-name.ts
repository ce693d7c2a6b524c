/**
 * A form of a distinguished name (RFC 4514) that is equal for equal names: escapes and quotes are resolved, spaces
 * around parts are dropped, case is ignored.
 */
export function normalDn(text: string): string {
  const parts: string[] = []
  let part = ''
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === '\\') {
      const [value, length] = unescaped(text, index + 1)
      part += value
      index += length
    } else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === ',' || character === ';' || character === '+' || character === '=')) {
      parts.push(part.trim(), character === ';' ? ',' : character)
      part = ''
    } else part += character
  }
  return JSON.stringify([...parts, part.trim()]).toLowerCase()
}

const PAIRS = /(?:\\[0-9a-fA-F]{2})+/y

/** The characters for one escape, or for hexadecimal pairs that are the bytes of one text, and the length after `\`. */
function unescaped(text: string, at: number): [value: string, length: number] {
  PAIRS.lastIndex = at - 1
  const pairs = PAIRS.exec(text)?.[0]
  if (pairs === undefined) return [text[at] ?? '', 1]
  return [Buffer.from(pairs.replaceAll('\\', ''), 'hex').toString('utf8'), pairs.length - 1]
}
