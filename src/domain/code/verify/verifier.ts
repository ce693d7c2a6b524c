import { signedPayload, type Commit, type GitRepo, type Tag } from '../../../git/index.ts'

export interface Signer {
  readonly name: string
  readonly email: string
  readonly username: string
}

/** What is known of a signature (reference git-data §5). */
export interface Verification {
  readonly verified: boolean
  readonly reason: string
  readonly signature: string
  readonly payload: string
  readonly signer: Signer | undefined
}

export interface Verifier {
  ofCommits(git: GitRepo, commits: readonly Commit[]): Promise<ReadonlyMap<string, Verification>>
  /** Of the commit that the tag points to (reference git-data §3). */
  ofTag(git: GitRepo, tag: Tag): Promise<Verification>
}

export const UNSIGNED: Verification = { verified: false, reason: 'gpg.error.not_signed_commit', signature: '', payload: '', signer: undefined }

export function createVerifier(): Verifier {
  const verify = async (git: GitRepo, commit: Commit): Promise<Verification> => {
    if (commit.signature === undefined) return UNSIGNED
    const { content } = await git.objects.raw(commit.oid)
    return { ...UNSIGNED, reason: 'gpg.error.no_gpg_keys_found', signature: commit.signature, payload: signedPayload(content).toString('utf8') }
  }
  return {
    async ofTag(git, tag) {
      return tag.type === 'commit' ? verify(git, await git.objects.commit(tag.object)) : UNSIGNED
    },
    async ofCommits(git, commits) {
      return new Map(await Promise.all(commits.map(async (commit) => [commit.oid, await verify(git, commit)] as const)))
    },
  }
}
