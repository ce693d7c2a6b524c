import { GitError } from '../../errors.ts'

/** Who and when, as written in commits and tags. */
export interface Identity {
  readonly name: string
  readonly email: string
  /** Epoch seconds. */
  readonly time: number
  /** Minutes east of UTC of the writer's clock. */
  readonly offset: number
}

/** Reads `Name <email> 1700000000 +0200`; what is missing or broken becomes empty, 0 and UTC, as git shows it. */
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

/** Takes out what git takes out of names and emails: line breaks, NUL, angle brackets, and crud at the ends. */
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
  /** As stored, with its trailing newline. */
  readonly message: string
  /** The armored text of a GPG or SSH signature. */
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

/** Header lines (continuations joined with newlines) and the message of a commit or a tag. */
export interface RawHeaders {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** `latin1` gives the bytes of values one by one, for those that are in an encoding of their own. */
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

/** Text in the encoding a commit names; unknown names are read as UTF-8. */
function decodeText(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return bytes.toString('utf8')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

/** Lenient where old tools were sloppy (dates, names), strict about the tree and parents. */
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

/** NOTE: not by a pattern, which would try every line end of a long text again. */
function withoutLineEnds(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

/** Names are in the encoding that the commit names, as the message is. */
function personReader(
  content: Buffer,
  headers: RawHeaders['headers'],
  encoding: string | undefined,
): (name: string) => Identity {
  if (encoding === undefined) return (name) => parseIdentity(headerValue(headers, name) ?? '')
  const raw = splitHeaders(content, 'latin1').headers
  return (name) => parseIdentity(decodeText(Buffer.from(headerValue(raw, name) ?? '', 'latin1'), encoding))
}

/** The content of a commit object without its signature: what a signer signs. */
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
