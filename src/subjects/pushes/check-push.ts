import type { Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import { isZeroOid } from '../../git/index.ts'
import {
  loadBranchRules,
  loadTagRules,
  NO_BRANCH_RULES,
  pushEvidenceNeeded,
  type PushFacts,
  pushRefusal,
  type Refusal,
} from '../protections/index.ts'
import type { Repo, RepoInView } from '../repos/index.ts'
import type { PushProposals } from './agit.ts'
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

/** At most two queries. Asked when the objects have come, so that a rule made during a long upload holds. */
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

/** What the push rules ask of the viewer and the repository. */
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

/** Why one ref must not move; undefined: it may. */
export async function refusalOf(
  change: RefChange,
  facts: PushFacts,
  source: EvidenceSource,
): Promise<Refusal | undefined> {
  const pushed = {
    ref: change.ref,
    kind: isZeroOid(change.newOid) ? 'delete' : isZeroOid(change.oldOid) ? 'create' : 'update',
  } as const
  const needed = pushEvidenceNeeded(pushed, facts)
  return pushRefusal(pushed, facts, needed && (await gatherEvidence(source, change, needed)))
}

/** Whether quotas count: deleting is always possible, it makes room (reference auth-and-access §17). */
export const addsObjects = (changes: readonly { readonly newOid: string }[]): boolean =>
  changes.some(({ newOid }) => !isZeroOid(newOid))
