import type { Commit, GitRepo, Incoming, IncomingCommit } from '../../../core/git/index.ts'
import { compareFiles } from '../protections/branches/file-patterns.policy.ts'
import { type EvidenceNeeded, NO_EVIDENCE, type PushEvidence } from '../protections/branches/branch-rules.policy.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import type { RefChange } from './record-push.ts'

export interface EvidenceSource {
  readonly git: GitRepo
  readonly incoming: Incoming
  readonly verifier: Verifier
  isForced(): Promise<boolean>
}

/** Collects what the rules need about one change, and nothing else: each part costs git processes. */
export async function gatherEvidence(
  source: EvidenceSource,
  { oldOid, newOid }: RefChange,
  needed: EvidenceNeeded,
): Promise<PushEvidence> {
  const { git, incoming } = source
  const from = oldOid === git.zeroOid ? undefined : oldOid
  const isForced = needed.force && (await source.isForced())
  const files = needed.files && (await compareFiles(needed.files, await incoming.changedFiles(from, newOid)))
  return {
    ...NO_EVIDENCE,
    ...files,
    isForced,
    unverified: needed.signatures ? await findUnverified(source, from, newOid) : undefined,
  }
}

/** A commit without a good signature among those that `to` has and `from` lacks. */
export async function findUnverified(
  { git, incoming, verifier }: Pick<EvidenceSource, 'git' | 'incoming' | 'verifier'>,
  from: string | undefined,
  to: string,
): Promise<string | undefined> {
  for await (const batch of incoming.newCommits(from, to)) {
    const unsigned = batch.find(({ commit }) => commit.signature === undefined)
    if (unsigned) return unsigned.commit.oid
    const results = await verifier.ofCommits(
      withIncoming(git, batch),
      batch.map(({ commit }) => commit),
    )
    const bad = batch.find(({ commit }) => results.get(commit.oid)?.verified !== true)
    if (bad) return bad.commit.oid
  }
  return undefined
}

/** The repository with commits that are still in quarantine. */
function withIncoming(git: GitRepo, batch: readonly IncomingCommit[]): GitRepo {
  const byOid = new Map(batch.map((incoming) => [incoming.commit.oid, incoming]))
  const found = (oid: string): Commit | undefined => byOid.get(oid)?.commit
  return {
    ...git,
    objects: {
      ...git.objects,
      commit: async (oid) => found(oid) ?? git.objects.commit(oid),
      raw: async (oid) => {
        const content = byOid.get(oid)?.content
        return content === undefined ? git.objects.raw(oid) : { oid, type: 'commit', size: content.length, content }
      },
    },
  }
}
