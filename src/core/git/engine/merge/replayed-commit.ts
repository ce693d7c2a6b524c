import { parseCommit, serializeCommit } from '../object/commit.ts'
import { formatIdentity, type Identity } from '../object/identity.ts'

export interface ReplayedCommit {
  readonly tree: string
  readonly parent: string
  readonly committer: Identity
  /** Of a new message; the stored bytes are kept where absent. */
  readonly message: string | undefined
}

/**
 * The content of a commit that repeats another: its author line, its encoding and its message are kept byte for byte;
 * signatures and other headers belong to the other commit and are left out. It becomes UTF-8 where the committer's name
 * might not have a form in its encoding.
 */
export function replayedContent(original: Buffer, { tree, parent, committer, message }: ReplayedCommit): Buffer {
  const end = original.indexOf('\n\n')
  const headers = original.toString('latin1', 0, end === -1 ? original.length : end).split('\n')
  const encoding = headers.find((line) => line.startsWith('encoding '))
  const committerLine = formatIdentity(committer)
  if (message !== undefined || (encoding !== undefined && !isAscii(committerLine))) {
    const parsed = parseCommit('', original)
    const { author } = parsed
    return serializeCommit({ tree, parents: [parent], author, committer, message: message ?? parsed.message })
  }
  const author = headers.find((line) => line.startsWith('author ')) ?? `author ${committerLine}`
  return Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${parent}\n${author}\n`, 'latin1'),
    Buffer.from(`committer ${committerLine}\n`, 'utf8'),
    Buffer.from(encoding === undefined ? '\n' : `${encoding}\n\n`, 'latin1'),
    original.subarray(end === -1 ? original.length : end + 2),
  ])
}

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** The content with an armored signature in its headers. */
export function withSignature(content: Buffer, header: 'gpgsig' | 'gpgsig-sha256', signature: string): Buffer {
  const end = content.indexOf('\n\n')
  const folded = signature.trimEnd().replaceAll('\n', '\n ')
  return Buffer.concat([content.subarray(0, end + 1), Buffer.from(`${header} ${folded}\n`), content.subarray(end + 1)])
}
