import type { Core } from '../../../../core/module.ts'
import { isRepoAdmin } from '../../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { Database, Tx } from '../../../../core/db/database.ts'
import { branchRef, isNewRefName, RefConflictError } from '../../../../core/git/index.ts'
import { forbidden, invalid, invalidField } from '../../../../core/platform/errors.ts'
import { isGlob } from '../../../../core/platform/patterns/glob.ts'
import { canPush, findOwnRule } from '../../protections/branches/branch-rules.policy.ts'
import { loadBranchRules } from '../../protections/facts.ts'
import { renameBranchRule } from '../../protections/branches/branch-rule.store.ts'
import { rightsFor } from '../../protections/push-rules.policy.ts'
import type { Pushes } from '../../pushes/pushes.service.ts'
import { recordBranchRename } from '../../pushes/renamed-branch.store.ts'
import type { DiskQuota } from '../../../accounts/index.ts'
import type { RepoInView } from '../../../repositories/index.ts'
import { openNonEmpty, tipOf } from './branch-tips.ts'

interface RenameDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly pushes: Pick<Pushes, 'moveRefs'>
  readonly quota: Pick<DiskQuota, 'require'>
}

/** Moves the ref, then default branch, rule and the record of the old name follow in one transaction. */
export async function renameBranch(
  { database, git, clock, events, pushes, quota }: RenameDeps,
  actor: SignedIn,
  target: RepoInView,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const opened = await openNonEmpty(git, target.repo)
  const oid = await tipOf(opened, from)
  if (!isNewRefName(to)) throw invalidField('Name', 'GitRefName')
  const isDefault = from === target.repo.defaultBranch
  await requireRenamable(database, actor, target, { from, to, isDefault })
  const taken = 'Cannot rename a branch using the same name or rename to a branch that already exists.'
  if ((await opened.refs.snapshot()).get(branchRef(to))) throw invalid(taken)
  const changes = [
    { ref: branchRef(from), oldOid: oid, newOid: opened.zeroOid },
    { ref: branchRef(to), oldOid: opened.zeroOid, newOid: oid },
  ]
  await quota.require(target.repo.owner, 'size:git:all')
  const repoId = target.repo.id
  const inTransaction = async (tx: Tx): Promise<void> => {
    await renameBranchRule(tx, repoId, from, to)
    const at = clock.now()
    await recordBranchRename(tx, { repoId, from, to, at })
    await events.append(tx, 'branch.renamed', { actor, repoId, at }, { repo_id: repoId, from, to })
  }
  const moves = { changes, defaultBranch: isDefault ? to : undefined, inTransaction }
  try {
    await opened.writing(() => pushes.moveRefs(actor, target.repo, moves))
  } catch (error) {
    throw error instanceof RefConflictError && (error.reason === 'name-clash' || error.reason === 'exists')
      ? invalid(taken)
      : error
  }
}

interface Renaming {
  readonly from: string
  readonly to: string
  readonly isDefault: boolean
}

/**
 * Throws Forbidden (behaviour/git-data-and-transport#branches): a rename has rules of its own, not those of pushes.
 */
async function requireRenamable(
  { read }: Database,
  actor: SignedIn,
  { repo, access }: RepoInView,
  { from, to, isDefault }: Renaming,
): Promise<void> {
  const branchRules = await loadBranchRules(read, repo, actor)
  const hasOwnRule = findOwnRule(branchRules.rules, from) !== undefined
  if ((isDefault || hasOwnRule) && !isRepoAdmin(access))
    throw forbidden('User must be a repo or site admin to rename default or protected branches.')
  const [old, next] = [await branchRules.ruleOf(from), await branchRules.ruleOf(to)]
  const isDeployKey = actor.deployKeyId !== undefined
  const leavesGlob = old !== undefined && isGlob(old.name) && !hasOwnRule
  if (leavesGlob || (next && !canPush(next, rightsFor(next, { access, isDeployKey, branchRules }))))
    throw forbidden('Failed to rename branch due to branch protection rules.')
}
