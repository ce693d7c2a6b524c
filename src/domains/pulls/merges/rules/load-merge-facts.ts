import type { Services } from '../../../../core/module.ts'
import { AccessMode, isRepoAdmin, unitMode } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { GitRepo } from '../../../../core/git/index.ts'
import { issueQueries } from '../../../issues/index.ts'
import { type BranchRule, checkRules, statusQueries, protectionQueries, pushRules } from '../../../code/index.ts'
import { mergeabilityOf } from '../../pulls/pull.policy.ts'
import type { Pull } from '../../pulls/records/pull.store.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import type { PullReviews } from '../../pulls/pull-views.ts'
import { parseRepoSettings } from '../../../repositories/index.ts'
import type { MergeFacts, ProtectionFacts } from '../merges.policy.ts'

interface FactDeps {
  readonly read: Db
  readonly reviews: PullReviews
  readonly pushes: Pick<Services['pushes'], 'findUnverified'>
  readonly canSign: boolean
}

/** The protection of the base branch and whether the actor may merge into it; one query. */
export async function loadMergeRights(
  read: Db,
  actor: SignedIn,
  { repo, access, pull }: Pick<PullInView, 'repo' | 'access' | 'pull'>,
): Promise<{ readonly rule: BranchRule | undefined; readonly mayMerge: boolean; readonly mayOverride: boolean }> {
  const branchRules = await protectionQueries.loadBranchRules(read, repo, actor)
  const rule = await branchRules.ruleOf(pull.baseBranch)
  if (rule === undefined)
    return { rule, mayMerge: unitMode(access, 'repo.code') >= AccessMode.write, mayOverride: false }
  const rights = pushRules.rightsFor(rule, { access, isDeployKey: false, branchRules })
  return {
    rule,
    mayMerge: pushRules.canMerge(rule, rights),
    mayOverride: pushRules.canOverride(rule, isRepoAdmin(access), rights.lists),
  }
}

/** The facts that decide about a merge. Starts git processes only for protected files and required signatures. */
export async function loadMergeFacts(
  deps: FactDeps,
  actor: SignedIn,
  target: PullInView,
  { git, baseOid }: { readonly git: GitRepo; readonly baseOid: string | undefined },
): Promise<MergeFacts> {
  const { read, canSign } = deps
  const { repo, issue, pull } = target
  const { rule, mayMerge, mayOverride } = await loadMergeRights(read, actor, target)
  const { pulls, internalTracker } = parseRepoSettings(repo.settings)
  return {
    isMerged: pull.merge !== undefined,
    mayMerge,
    isDraft: pull.isDraft,
    mergeability: baseOid === undefined ? 'error' : mergeabilityOf(pull, { baseOid, headOid: pull.headOid }),
    protection: rule && baseOid !== undefined ? await loadProtection(deps, { rule, pull, git, baseOid }) : undefined,
    mayOverride,
    canSign,
    hasOpenBlocker: internalTracker.issueDependencies && (await issueQueries.hasOpenBlocker(read, issue.id)),
    styles: pulls,
  }
}

interface Protecting {
  readonly rule: BranchRule
  readonly pull: Pull
  readonly git: GitRepo
  readonly baseOid: string
}

async function loadProtection(
  { read, reviews, pushes, canSign }: FactDeps,
  { rule, pull, git, baseOid }: Protecting,
): Promise<ProtectionFacts> {
  const { headOid, baseRepoId } = pull
  const latest = rule.enableStatusCheck
    ? (await statusQueries.listLatest(read, { repoId: baseRepoId, oid: headOid })).items
    : []
  return {
    rule,
    checks: await checkRules.requiredChecksState(rule.statusCheckContexts, latest),
    reviews: await reviews.get().state(pull.id, {
      ignoresStale: rule.ignoreStaleApprovals,
      current: rule.ignoreStaleApprovals || rule.dismissStaleApprovals ? { git, pull } : undefined,
    }),
    isOutdated: rule.blockOnOutdatedBranch && !(await git.history.isAncestor(baseOid, headOid)),
    protectedFile: await findProtectedFile({ rule, pull, git, baseOid }),
    unverified:
      rule.requireSignedCommits && canSign
        ? await pushes.findUnverified(git, { oldOid: baseOid, newOid: headOid })
        : undefined,
  }
}

/**
 * Finds a protected file among those that the merge changes in the tip of the base; with several merge bases, a diff
 * from one of them shows other files. Finds none where there is a conflict, which no style merges.
 */
async function findProtectedFile({ rule, pull, git, baseOid }: Protecting): Promise<string | undefined> {
  if (rule.protectedFilePatterns.trim() === '') return undefined
  const files = await git.writing(() => git.merges.changedFiles(baseOid, pull.headOid))
  const patterns = { protectedFiles: rule.protectedFilePatterns, unprotectedFiles: '' }
  return files && (await checkRules.compareFiles(patterns, files)).protectedFile
}
