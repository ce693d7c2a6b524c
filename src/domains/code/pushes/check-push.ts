import type { Viewer } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { type Commit, type GitRepo, type Incoming, type IncomingCommit, isZeroOid } from '../../../core/git/index.ts'
import { loadBranchRules, loadTagRules } from '../protections/facts.ts'
import {
  type EvidenceNeeded,
  NO_BRANCH_RULES,
  NO_EVIDENCE,
  type PushEvidence,
  type Refusal,
} from '../protections/branches/branch-rules.policy.ts'
import { compareFiles } from '../protections/protections.policy.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import { type PushFacts, pushEvidenceNeeded, pushRefusal, rulesOfRef } from '../protections/push-rules.policy.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import type { PushProposals } from './push-proposals.service.ts'
import type { RefChange } from './record-push.ts'

interface FactDeps {
  readonly database: Database
  readonly proposals: PushProposals
}

type Rules = Pick<PushFacts, 'branchRules' | 'tagRules'>

const BRANCH = 'refs/heads/'
const TAG = 'refs/tags/'

/** At most two queries. Call after receiving the objects, so that a rule created during a long upload counts. */
export async function loadRules(
  { database }: Pick<FactDeps, 'database'>,
  viewer: Viewer,
  repo: Repo,
  changes: readonly { readonly ref: string }[],
): Promise<Rules> {
  const touches = (prefix: string): boolean => changes.some(({ ref }) => ref.startsWith(prefix))
  return {
    branchRules: touches(BRANCH) ? await loadBranchRules(database.read, repo, viewer) : NO_BRANCH_RULES,
    tagRules: touches(TAG) ? await loadTagRules(database.read, repo, viewer) : [],
  }
}

/** The input of the push rules: the viewer, the repository and its protections. */
export const pushFacts = (
  { proposals }: Pick<FactDeps, 'proposals'>,
  viewer: Viewer,
  { repo, access }: RepoInView,
  rules: Rules,
): PushFacts => ({
  ...rules,
  access,
  isArchived: repo.isArchived,
  isMirror: repo.isMirror,
  defaultBranch: repo.isEmpty ? '' : repo.defaultBranch,
  takesProposals: proposals.find() !== undefined,
  isDeployKey: viewer.kind === 'user' && viewer.deployKeyId !== undefined,
})

/** The reason to refuse the update of one ref; undefined if it is allowed. */
export async function refusalOf(
  change: RefChange,
  facts: PushFacts,
  source: EvidenceSource,
): Promise<Refusal | undefined> {
  const pushed = {
    ref: change.ref,
    kind: isZeroOid(change.newOid) ? 'delete' : isZeroOid(change.oldOid) ? 'create' : 'update',
    ...(await rulesOfRef(change.ref, facts)),
  } as const
  const needed = pushEvidenceNeeded(pushed, facts)
  return pushRefusal(pushed, facts, needed && (await gatherEvidence(source, change, needed)))
}

/** Whether a quota is checked: deleting refs is always allowed (behaviour/auth-and-access#quota). */
export const addsObjects = (changes: readonly { readonly newOid: string }[]): boolean =>
  changes.some(({ newOid }) => !isZeroOid(newOid))

interface EvidenceSource {
  readonly git: GitRepo
  readonly incoming: Incoming
  readonly verifier: Verifier
  isForced(): Promise<boolean>
}

/** Collects only the evidence that the rules need about one change: each part costs git processes. */
async function gatherEvidence(
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

/** Finds a commit without a valid signature among those that `to` has and `from` lacks. */
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

/** The repository including commits that are still in quarantine. */
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
