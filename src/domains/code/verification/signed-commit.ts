import { type Commit, type GitRepo, signedPayload } from '../../../core/git/index.ts'
import { PgpError, readSignatureKeyIds } from '../../../core/platform/pgp/index.ts'
import { SshKeyError } from '../../../core/platform/ssh/key.ts'
import { parseSshSignature, type SshSignature } from '../../../core/platform/ssh/signature.ts'

/** A signed commit, and the keys that its signature names. */
export interface SignedCommit {
  readonly oid: string
  readonly committer: { readonly name: string; readonly email: string }
  /** The armored text in the commit. */
  readonly signature: string
  readonly payload: Buffer
  /** Undefined when the signature cannot be parsed. */
  readonly claim:
    | { readonly kind: 'pgp'; readonly keyIds: readonly string[] }
    | { readonly kind: 'ssh'; readonly ssh: SshSignature }
    | { readonly kind: 'other' }
    | undefined
}

/** Undefined for a commit without a signature. */
export async function readSignedCommit(git: GitRepo, commit: Commit): Promise<SignedCommit | undefined> {
  const { oid, committer, signature } = commit
  if (signature === undefined) return undefined
  const { content } = await git.objects.raw(oid)
  return {
    oid,
    committer,
    signature: signature.trimEnd(),
    payload: signedPayload(content),
    claim: await readClaim(signature),
  }
}

async function readClaim(signature: string): Promise<SignedCommit['claim']> {
  try {
    if (signature.startsWith('-----BEGIN SSH SIGNATURE-----')) return { kind: 'ssh', ssh: parseSshSignature(signature) }
    if (signature.startsWith('-----BEGIN PGP ')) return { kind: 'pgp', keyIds: await readSignatureKeyIds(signature) }
    return { kind: 'other' }
  } catch (error) {
    if (error instanceof PgpError || error instanceof SshKeyError) return undefined
    throw error
  }
}
