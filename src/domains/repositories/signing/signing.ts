import type { Identity, NewCommit, NewTag, ObjectWriter } from '../../../core/git/index.ts'
import { loadPgpSigner } from '../../../core/platform/pgp/index.ts'
import { loadSshSigner } from '../../../core/platform/ssh/signature.ts'

/** The key of the server, which signs commits written by the server. */
export interface CommitSigner {
  readonly format: 'openpgp' | 'ssh'
  /** The name of the committer of signed commits. */
  readonly name: string
  readonly email: string
  /** Armored, or one OpenSSH line. */
  readonly publicKey: string
  /** Key ids of a GPG key, the fingerprint of an SSH key. */
  readonly ids: readonly string[]
  sign(payload: Uint8Array): Promise<string>
}

interface SignerSource {
  /** The private key, armored GPG or any form of SSH key. */
  readonly text: string
  readonly passphrase: string
  readonly name: string
  readonly email: string
}

/** Throws PgpError or SshKeyError for a malformed key. */
export async function loadCommitSigner({ text, passphrase, name, email }: SignerSource): Promise<CommitSigner> {
  if (text.includes('-----BEGIN PGP ')) {
    const signer = await loadPgpSigner(text, passphrase)
    return {
      format: 'openpgp',
      name,
      email,
      publicKey: signer.armoredPublicKey,
      ids: signer.keyIds,
      sign: (payload) => signer.sign(payload),
    }
  }
  const signer = await loadSshSigner(text, passphrase)
  const { algorithm, blob, fingerprint } = signer.publicKey
  return {
    format: 'ssh',
    name,
    email,
    publicKey: `${algorithm} ${blob}\n`,
    ids: [fingerprint],
    sign: async (payload) => signer.sign(payload, 'git'),
  }
}

/**
 * Writes a commit and returns its oid. With a key the commit is signed: the server is its committer, and a committer
 * other than the author is named in a trailer (behaviour/git-data-and-transport#writing-contents).
 */
async function writeCommit(writer: ObjectWriter, commit: NewCommit, signer: CommitSigner | undefined): Promise<string> {
  if (signer === undefined) return writer.commit(commit)
  const own = { ...commit, ...signedBy(signer, commit) }
  return writer.commit({ ...own, signature: await signer.sign(writer.payload(own)) })
}

/** Writes an annotated tag, signed if the server has a key, and returns its oid. */
async function writeTag(writer: ObjectWriter, tag: NewTag, signer: CommitSigner | undefined): Promise<string> {
  return writer.tag(signer === undefined ? tag : { ...tag, signature: await signer.sign(writer.tagPayload(tag)) })
}

/** The committer and the message of a commit that the server signs. */
export function signedBy(
  { name, email }: CommitSigner,
  commit: Pick<NewCommit, 'author' | 'committer' | 'message'>,
): Pick<NewCommit, 'committer' | 'message'> {
  return { committer: { ...commit.committer, name, email }, message: withTrailer(commit) }
}

function withTrailer({ message, author, committer }: Pick<NewCommit, 'author' | 'committer' | 'message'>): string {
  if (isSame(author, committer)) return message
  return appendTrailers(message, [`Co-committed-by: ${committer.name} <${committer.email}>`])
}

/**
 * Appends trailers to a message, in its last paragraph if that consists of trailers; the result ends in one newline.
 */
function appendTrailers(message: string, trailers: readonly string[]): string {
  const body = message.trimEnd()
  if (trailers.length === 0) return `${body}\n`
  return `${body}${endsInTrailers(body) ? '\n' : '\n\n'}${trailers.join('\n')}\n`
}

const isSame = (a: Identity, b: Identity): boolean => a.name === b.name && a.email === b.email

/** Whether the last paragraph consists of trailers, and is not the first. */
function endsInTrailers(body: string): boolean {
  const start = body.lastIndexOf('\n\n')
  return (
    start !== -1 &&
    body
      .slice(start + 2)
      .split('\n')
      .every((line) => /^[A-Za-z-]+: /.test(line))
  )
}

/** Writes commits and tags of the server. */
export const gitWriter = {
  writeCommit,
  writeTag,
  appendTrailers,
} as const
