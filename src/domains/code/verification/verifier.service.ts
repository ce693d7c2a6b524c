import type { Core } from '../../../core/module.ts'
import { type Commit, type GitRepo, ignoringMissing, type Tag, signedPayload } from '../../../core/git/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import { boundedCache } from '../../../core/platform/lru.ts'
import { PgpError, verifyPgpSignature, readSignatureKeyIds } from '../../../core/platform/pgp/index.ts'
import type { CommitSigner } from '../../repositories/index.ts'
import { type User, type GpgKey, type UserKey, keyQueries, userQueries } from '../../accounts/index.ts'
import { type Failure, type Signer, UNSIGNED, type Verification } from './verification.ts'
import type { Db } from '../../../core/db/database.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { findUsersByEmails } from './commit-author.store.ts'
import { SshKeyError } from '../../../core/platform/ssh/key.ts'
import { parseSshSignature, type SshSignature } from '../../../core/platform/ssh/signature.ts'

export interface Verifier {
  /** Verifications by commit id, with the current keys and addresses of accounts; a fixed number of queries. */
  ofCommits(git: GitRepo, commits: readonly Commit[]): Promise<ReadonlyMap<string, Verification>>
  /** The verification of the commit that the tag points to (behaviour/git-data-and-transport#tags). */
  ofTag(git: GitRepo, tag: Tag): Promise<Verification>
}

interface VerifierDeps extends Pick<Core, 'database' | 'clock'> {
  readonly noReplyDomain: string
  /** The signing key of this server. */
  readonly serverKey?: CommitSigner | undefined
}

const GIT = 'git'

/**
 * Verifies commits that were signed with GPG and SSH keys (behaviour/git-data-and-transport#signature-verification).
 */
export function createVerifier({ database, clock, noReplyDomain, serverKey }: VerifierDeps): Verifier {
  const isGoodPgp = createPgpCheck(clock)

  async function verify(commit: SignedCommit, facts: KeyFacts): Promise<Verification> {
    const { claim } = commit
    if (claim === undefined) return failed(commit, 'extract_sign')
    if (serverKey !== undefined && isBy(serverKey, claim)) return verifyByServerKey(commit, claim, serverKey)
    if (claim.kind === 'ssh') return verifySsh(commit, claim.ssh, facts)
    if (claim.kind === 'pgp') return verifyPgp(commit, claim.keyIds, facts)
    return failed(commit, 'no_gpg_keys_found')
  }

  async function verifyByServerKey(commit: SignedCommit, claim: Claim, key: CommitSigner): Promise<Verification> {
    const isGood =
      claim.kind === 'ssh'
        ? claim.ssh.namespace === GIT && claim.ssh.covers(commit.payload)
        : await isGoodPgp(commit, key.publicKey)
    if (!isGood) return failed(commit, 'probable_bad_default_signature')
    return verified(commit, { name: key.name, email: key.email, username: key.name }, key.ids[0]!)
  }

  async function verifyPgp(
    commit: SignedCommit,
    keyIds: readonly string[],
    { gpgKeys, owners, committers }: KeyFacts,
  ): Promise<Verification> {
    const committer = committers.get(commit.committer.email.toLowerCase())
    const keyId = keyIds.find((id) => gpgKeys.has(id))
    const key = keyId === undefined ? undefined : gpgKeys.get(keyId)!
    const owner = key && owners.get(key.userId)
    if (key === undefined || owner === undefined) return failed(commit, 'no_gpg_keys_found')
    const isOwn = committer?.id === owner.id
    if (key.emails.length === 0 && !(key.isVerified && isOwn)) return failed(commit, 'no_gpg_keys_found')
    if (!(await isGoodPgp(commit, key.armored))) return failed(commit, 'probable_bad_signature')
    return verified(commit, signerOf(owner, isOwn ? commit.committer.email : key.emails[0]!), keyId!)
  }

  const ofCommits: Verifier['ofCommits'] = async (git, commits) => {
    const read = await Promise.all(commits.map((commit) => readSignedCommit(git, commit)))
    const signed = read.filter((commit) => commit !== undefined)
    const results = new Map(commits.map((commit) => [commit.oid, UNSIGNED]))
    if (signed.length === 0) return results
    const facts = await loadKeyFacts(database.read, signed, noReplyDomain)
    for (const commit of signed) results.set(commit.oid, await verify(commit, facts))
    return results
  }

  return {
    ofCommits,
    async ofTag(git, tag) {
      const oid = await ignoringMissing(() => git.revisions.peel(tag.object, 'commit'))
      if (oid === undefined) return UNSIGNED
      const commit = await git.objects.commit(oid)
      return (await ofCommits(git, [commit])).get(commit.oid)!
    },
  }
}

type Claim = NonNullable<SignedCommit['claim']>

function isBy(key: CommitSigner, claim: Claim): boolean {
  if (claim.kind === 'ssh') return key.ids.includes(claim.ssh.fingerprint)
  return claim.kind === 'pgp' && claim.keyIds.some((id) => key.ids.includes(id))
}

/** NOTE: only verified keys of the committer count: an account can upload the public key of another person. */
function verifySsh(
  commit: SignedCommit,
  ssh: { fingerprint: string; namespace: string; covers(data: Buffer): boolean },
  { sshKeys, committers }: KeyFacts,
): Verification {
  const committer = committers.get(commit.committer.email.toLowerCase())
  const key = sshKeys.find(
    (candidate) => candidate.fingerprint === ssh.fingerprint && candidate.userId === committer?.id,
  )
  if (committer === undefined || key === undefined) return failed(commit, 'no_gpg_keys_found')
  if (ssh.namespace !== GIT || !ssh.covers(commit.payload)) return failed(commit, 'probable_bad_signature')
  return verified(commit, signerOf(committer, commit.committer.email), key.fingerprint)
}

/** Caches only the cryptographic result, by commit and key: the owner and state of the key are loaded every time. */
function createPgpCheck(clock: Clock): (commit: SignedCommit, armoredKey: string) => Promise<boolean> {
  const results = boundedCache<string, boolean>(20_000, 60 * 60 * 1000)
  return async (commit, armoredKey) => {
    const name = `${commit.oid}:${sha256Hex(armoredKey)}`
    const cached = results.get(name)
    if (cached !== undefined) return cached
    const isGood = await checkPgp(commit, armoredKey, clock.now())
    results.set(name, isGood)
    return isGood
  }
}

async function checkPgp({ signature, payload }: SignedCommit, armoredKey: string, now: number): Promise<boolean> {
  try {
    return await verifyPgpSignature({ armoredKey, armoredSignature: signature, data: payload }, now)
  } catch (error) {
    if (error instanceof PgpError) return false
    throw error
  }
}

const signerOf = (user: User, email: string): Signer => ({
  name: user.fullName || user.name,
  email,
  username: user.name,
})

function verified(commit: SignedCommit, signer: Signer, key: string): Verification {
  return { ...signatureParts(commit), verified: true, reason: `${signer.username} / ${key}`, signer }
}

const failed = (commit: SignedCommit, failure: Failure): Verification => ({
  ...signatureParts(commit),
  verified: false,
  reason: `gpg.error.${failure}`,
  signer: undefined,
})

const signatureParts = ({ signature, payload }: SignedCommit): Pick<Verification, 'signature' | 'payload'> => ({
  signature,
  payload: payload.toString('utf8'),
})

/** The current owners of the keys and addresses in signed commits. */
interface KeyFacts {
  /** Keys by the id of the primary key or of a subkey. */
  readonly gpgKeys: ReadonlyMap<string, GpgKey>
  readonly sshKeys: readonly UserKey[]
  readonly owners: ReadonlyMap<UserId, User>
  /** Users by lower-case address. */
  readonly committers: ReadonlyMap<string, User>
}

/** A fixed number of queries for any number of commits. */
async function loadKeyFacts(db: Db, signed: readonly SignedCommit[], noReplyDomain: string): Promise<KeyFacts> {
  const claims = signed.map((commit) => commit.claim)
  const [gpgKeys, sshKeys, committers] = await Promise.all([
    keyQueries.findGpgByKeyIds(
      db,
      claims.flatMap((claim) => (claim?.kind === 'pgp' ? claim.keyIds : [])),
    ),
    keyQueries.listProven(
      db,
      claims.flatMap((claim) => (claim?.kind === 'ssh' ? [claim.ssh.fingerprint] : [])),
    ),
    findUsersByEmails(
      db,
      signed.map((commit) => commit.committer.email),
      noReplyDomain,
    ),
  ])
  const ids = new Set([...gpgKeys.values()].map((key) => key.userId))
  const owners = ids.size === 0 ? [] : await userQueries.listByIds(db, [...ids])
  return { gpgKeys, sshKeys, committers, owners: new Map(owners.map((owner) => [owner.id, owner])) }
}

/** A signed commit, and the keys that its signature names. */
interface SignedCommit {
  readonly oid: string
  readonly committer: { readonly name: string; readonly email: string }
  /** The armored text in the commit. */
  readonly signature: string
  readonly payload: Buffer
  /** Undefined if the signature cannot be parsed. */
  readonly claim:
    | { readonly kind: 'pgp'; readonly keyIds: readonly string[] }
    | { readonly kind: 'ssh'; readonly ssh: SshSignature }
    | { readonly kind: 'other' }
    | undefined
}

/** Undefined for a commit without a signature. */
async function readSignedCommit(git: GitRepo, commit: Commit): Promise<SignedCommit | undefined> {
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
