import type { Viewer } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { isZeroOid } from '../../../core/git/index.ts'
import { loadBranchRules, loadTagRules } from '../protections/facts.ts'
import { NO_BRANCH_RULES, type Refusal } from '../protections/branches/branch-rules.policy.ts'
import { type PushFacts, pushEvidenceNeeded, pushRefusal, rulesOfRef } from '../protections/push-rules.policy.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import type { PushProposals } from './push-proposals.service.ts'
import { type EvidenceSource, gatherEvidence } from './push-evidence.ts'
import type { RefChange } from './record-push.ts'

interface FactDeps {
  readonly database: Database
  readonly proposals: Pick<PushProposals, 'port'>
}

type Rules = Pick<PushFacts, 'branchRules' | 'tagRules'>

const BRANCH = 'refs/heads/'
const TAG = 'refs/tags/'
export const NO_RULES: Rules = { branchRules: NO_BRANCH_RULES, tagRules: [] }

/** At most two queries. Call after the objects were received, so that a rule created during a long upload counts. */
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

/** What the push rules depend on: the viewer, the repository and its protections. */
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
  takesProposals: proposals.port !== undefined,
  isDeployKey: viewer.kind === 'user' && viewer.deployKeyId !== undefined,
})

/** Why one ref must not move; undefined when it may. */
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
