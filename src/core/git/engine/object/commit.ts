import { GitError } from '../../errors.ts'

/** A person and a time, as written in commits and tags. */
export interface Identity {
  readonly name: string
  readonly email: string
  /** Epoch seconds. */
  readonly time: number
  /** The writer's offset from UTC in minutes, positive to the east. */
  readonly offset: number
}

/** Parses `Name <email> 1700000000 +0200`; missing or malformed parts become empty, 0 and UTC, as in git's output. */
export function parseIdentity(text: string): Identity {
  const close = text.lastIndexOf('>')
  const open = text.indexOf('<')
  if (open === -1 || close < open) return { name: text.trim(), email: '', time: 0, offset: 0 }
  const match = /^\s*(-?\d{1,15})(?:\s+([+-])(\d{1,2})(\d{2}))?/.exec(text.slice(close + 1))
  const minutes = match?.[4] === undefined ? 0 : Number(match[3]) * 60 + Number(match[4])
  return {
    name: text.slice(0, open).trim(),
    email: text.slice(open + 1, close).trim(),
    time: match ? Number(match[1]) : 0,
    offset: match?.[2] === '-' && minutes !== 0 ? -minutes : minutes,
  }
}

export function formatIdentity(identity: Identity): string {
  const minutes = Math.abs(Math.trunc(identity.offset))
  const zone = `${String(Math.trunc(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`
  const sign = identity.offset < 0 ? '-' : '+'
  return `${cleanName(identity.name)} <${cleanName(identity.email)}> ${Math.trunc(identity.time)} ${sign}${zone}`
}

/**
 * Removes the characters that git removes from names and emails: line breaks, NUL, angle brackets, and trailing or
 * leading punctuation.
 */
function cleanName(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\0\n\r<>]/g, '').replace(/^[\s.,:;"'\\]+|(?<![\s,:;"'\\])[\s,:;"'\\]+$/g, '')
}

export interface Commit {
  readonly oid: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Identity
  readonly committer: Identity
  /** As stored, including its trailing newline. */
  readonly message: string
  /** The armored GPG or SSH signature. */
  readonly signature: string | undefined
}

export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Identity
  readonly committer: Identity
  readonly message: string
  readonly signature?: string
}

/** The headers (continuation lines joined by newlines) and the message of a commit or tag. */
export interface RawHeaders {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** `latin1` preserves the bytes of values in another encoding. */
export function splitHeaders(content: Buffer, charset: 'utf8' | 'latin1' = 'utf8'): RawHeaders {
  const headers: [string, string][] = []
  let at = 0
  while (at < content.length && content[at] !== 0x0a) {
    const newline = content.indexOf(0x0a, at)
    const end = newline === -1 ? content.length : newline
    const line = content.toString(charset, at, end)
    const last = headers.at(-1)
    if (line.startsWith(' ') && last) last[1] += `\n${line.slice(1)}`
    else {
      const space = line.indexOf(' ')
      headers.push(space === -1 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)])
    }
    at = end + 1
  }
  return { headers, body: content.subarray(at + 1) }
}

export function headerValue(headers: RawHeaders['headers'], name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1]
}

/** Decodes text in the encoding that a commit names; unknown encodings are read as UTF-8. */
function decodeText(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return bytes.toString('utf8')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Lenient where old tools were sloppy (dates, names), strict about tree and parents. */
export function parseCommit(oid: string, content: Buffer): Commit {
  const { headers, body } = splitHeaders(content)
  const tree = headerValue(headers, 'tree')
  if (tree === undefined) throw new GitError('corrupt', `commit ${oid} has no tree`)
  const signature = headerValue(headers, 'gpgsig') ?? headerValue(headers, 'gpgsig-sha256')
  const encoding = headerValue(headers, 'encoding')
  const person = personReader(content, headers, encoding)
  return {
    oid,
    tree,
    parents: headers.filter((header) => header[0] === 'parent').map((header) => header[1]),
    author: person('author'),
    committer: person('committer'),
    message: decodeText(body, encoding),
    signature: signature === undefined ? undefined : `${withoutLineEnds(signature)}\n`,
  }
}

/** NOTE: not a regular expression, which would backtrack over every line end of a long text. */
function withoutLineEnds(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

/** Names use the encoding that the commit declares for its message. */
function personReader(
  content: Buffer,
  headers: RawHeaders['headers'],
  encoding: string | undefined,
): (name: string) => Identity {
  if (encoding === undefined) return (name) => parseIdentity(headerValue(headers, name) ?? '')
  const raw = splitHeaders(content, 'latin1').headers
  return (name) => parseIdentity(decodeText(Buffer.from(headerValue(raw, name) ?? '', 'latin1'), encoding))
}

/** The content of a commit object without its signature, which is what gets signed. */
export function serializeCommit(commit: NewCommit, signatureHeader = 'gpgsig'): Buffer {
  const lines = [`tree ${commit.tree}`, ...commit.parents.map((parent) => `parent ${parent}`)]
  lines.push(`author ${formatIdentity(commit.author)}`, `committer ${formatIdentity(commit.committer)}`)
  if (commit.signature !== undefined) {
    lines.push(`${signatureHeader} ${withoutLineEnds(commit.signature).replaceAll('\n', '\n ')}`)
  }
  return Buffer.from(`${lines.join('\n')}\n\n${commit.message}`, 'utf8')
}

/** The bytes a commit's signature covers: the object without its signature headers (git gpg-interface). */
export function signedPayload(content: Buffer): Buffer {
  const end = content.indexOf('\n\n')
  const head = content.toString('latin1', 0, end === -1 ? content.length : end + 1)
  const kept = head.replace(/^(?:gpgsig|gpgsig-sha256) .*\n(?: .*\n)*/gm, '')
  return Buffer.concat([Buffer.from(kept, 'latin1'), end === -1 ? Buffer.alloc(0) : content.subarray(end + 1)])
}
