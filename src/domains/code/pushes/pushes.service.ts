import type { Core } from '../../../core/module.ts'
import { actorOf, type SignedIn, type Viewer } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { type GitRepo, isZeroOid, type PushPolicy } from '../../../core/git/index.ts'
import { DomainError } from '../../../core/platform/errors.ts'
import { KeyedMutex } from '../../../core/platform/concurrency/keyed-mutex.ts'
import type { MergeMove, Refusal } from '../protections/branches/branch-rules.policy.ts'
import type { DiskQuota, QuotaSubject } from '../../accounts/index.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import { addsObjects, loadRules, NO_RULES, pushFacts, refusalOf } from './check-push.ts'
import { postReceive } from './post-receive.ts'
import { preReceive } from './pre-receive.ts'
import { findUnverified } from './push-evidence.ts'
import type { PushFollowers } from './push-followers.ts'
import type { PreparedProposal, PushProposals } from './push-proposals.service.ts'
import type { PushSettings } from './push-options.ts'
import { type Drift, inspectRepo, reconcileRepo } from './reconcile/reconcile-repo.ts'
import { recordMoves, type RefChange } from './record-push.ts'
import type { SharedLocks } from '../../../core/platform/concurrency/lock-table.ts'

interface PushDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'log'> {
  readonly verifier: Verifier
  readonly quota: DiskQuota
  readonly proposals: PushProposals
  readonly followers: PushFollowers
  /** Of all processes; undefined where this is the only one. */
  readonly locks: SharedLocks | undefined
  /** Whether the output of a push contains the addresses at which pull requests are created. */
  readonly printsPullUrls: boolean
  /** The address of the server, without a slash at the end. */
  rootUrl(): string
  /**
   * Changes repository settings; the actor administers the repository. Throws Invalid for a value that cannot be set.
   */
  editRepo(actor: SignedIn, repo: Repo, edit: PushSettings): Promise<void>
}

export interface MoveOptions {
  /** Becomes the default branch together with the move. */
  readonly defaultBranch?: string
  /** A rename of a branch has rules of its own, which the caller has checked; the other push rules are checked. */
  readonly isRename?: boolean
  /** The move merges pull requests: the protection asks for the right to merge in place of that to push. */
  readonly merge?: MergeMove
  /** The account whose right to push is checked, if not the actor's; `access` of the target is that account's too. */
  readonly pusher?: SignedIn
  /** The quota of the owner that must have room for new objects; `size:repos:all` where absent. */
  readonly quota?: QuotaSubject
  /** Runs in the transaction that records the move. */
  readonly inTransaction?: (tx: Tx) => Promise<void>
}

/** A push rule refuses a ref. `refusal` says which one, for callers that answer with a text of their own. */
export class PushRefusedError extends DomainError {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('forbidden', refusal.text)
    this.refusal = refusal
  }
}

export type Pushes = ReturnType<typeof createPushes>

export function createPushes(deps: PushDeps) {
  // NOTE: moving refs and recording the move is one step per repository, otherwise rows could end at an older value.
  const mutex = new KeyedMutex({ name: 'pushes', locks: deps.locks })
  const locked = <T>(repoId: Repo['id'], work: () => Promise<T>): Promise<T> => mutex.run(String(repoId), work)

  return {
    /** The hooks of one push by one viewer. Create one for each push. */
    policyFor(viewer: Viewer, { repo, access }: RepoInView): PushPolicy {
      const prepared = new Map<string, PreparedProposal>()
      const target = { repo, access, prepared }
      return {
        preReceive: (push) => preReceive(deps, viewer, push, target),
        postReceive: (results, push) =>
          postReceive({ ...deps, locked }, viewer, { ...target, results, options: push.pushOptions }),
      }
    },
    /**
     * Moves refs to objects that the server wrote, all or none, and records the moves as a push. Throws PushRefusedError
     * when a push rule refuses one, RefConflictError when a ref is not at its old value. Call within `writing` of the
     * repository.
     */
    async move(
      actor: SignedIn,
      target: RepoInView,
      changes: readonly RefChange[],
      options: MoveOptions = {},
    ): Promise<void> {
      await requireMovable(deps, actor, target, { changes, options })
      const { id } = target.repo
      const { defaultBranch, inTransaction } = options
      const { refs } = deps.git.open(target.repo)
      await locked(id, async () => {
        await refs.update(changes.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
        if (defaultBranch !== undefined) await refs.setHead(defaultBranch)
        await recordMoves(deps, id, actor, { changes, defaultBranch, inTransaction })
      })
      await deps.followers.follow(target.repo, actor.account.id, changes)
    },
    /** A commit without a good signature among those that `newOid` has and `oldOid` lacks. */
    findUnverified: (
      git: GitRepo,
      { oldOid, newOid }: Pick<RefChange, 'newOid' | 'oldOid'>,
    ): Promise<string | undefined> =>
      findUnverified({ git, incoming: git.incoming(), verifier: deps.verifier }, oldOid, newOid),
    /**
     * Moves the refs of a mirror to the values of its remote without checking push rules, and records the moves as a push
     * of the repository's owner. Call within `writing` of the repository.
     */
    moveMirrorRefs: (repo: Repo, changes: readonly RefChange[], defaultBranch?: string): Promise<void> =>
      locked(repo.id, async () => {
        const { refs } = deps.git.open(repo)
        // NOTE: git cannot delete `a` and create `a/b` in one transaction.
        for (const part of [
          changes.filter((change) => isZeroOid(change.newOid)),
          changes.filter((change) => !isZeroOid(change.newOid)),
        ])
          await refs.update(part.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
        if (defaultBranch !== undefined) await refs.setHead(defaultBranch)
        // NOTE: what the remote has says nothing of other repositories of the owner.
        const owner = { ...actorOf(repo.ownerId), onlyRepos: new Set([repo.id]) }
        await recordMoves(deps, repo.id, owner, { changes, defaultBranch, isMirrorSync: true })
      }),
    /** Waits until the moves of refs that are being recorded are in the rows. */
    recorded: (repoId: Repo['id']): Promise<void> => locked(repoId, () => Promise.resolve()),
    /** The difference between refs and rows that a crash left; undefined when they agree. */
    inspect: (repoId: Repo['id']): Promise<Drift | undefined> => locked(repoId, () => inspectRepo(deps, repoId)),
    /** Makes rows, default branch and HEAD agree with the refs on disk. True when they did not. */
    reconcile: (repoId: Repo['id']): Promise<boolean> => locked(repoId, () => reconcileRepo(deps, repoId)),
  }
}

/**
 * Throws PushRefusedError when a push rule refuses one of the changes, QuotaExceeded when the owner has no room for
 * objects.
 */
async function requireMovable(
  deps: PushDeps,
  actor: SignedIn,
  target: RepoInView,
  { changes, options }: { readonly changes: readonly RefChange[]; readonly options: MoveOptions },
): Promise<void> {
  const { repo } = target
  const { defaultBranch, isRename, merge, pusher = actor, quota = 'size:repos:all' } = options
  const git = deps.git.open(repo)
  const rules = isRename ? NO_RULES : await loadRules(deps, pusher, repo, changes)
  const own = pushFacts(deps, pusher, target, rules)
  const facts = { ...own, merge, ...(defaultBranch !== undefined && { defaultBranch }) }
  const common = { git, incoming: git.incoming(), verifier: deps.verifier }
  for (const change of changes) {
    const isForced = async (): Promise<boolean> => !(await git.history.isAncestor(change.oldOid, change.newOid))
    // COMPAT: the API creates tags on a mirror, though they cannot be pushed to it
    // (behaviour/git-data-and-transport#common-rules; test/api/mirrors/pull-mirrors.test.ts); the next sync may delete
    // them.
    const isMirror = facts.isMirror && !change.ref.startsWith('refs/tags/')
    const refusal = await refusalOf(change, { ...facts, isMirror }, { ...common, isForced })
    if (refusal !== undefined) throw new PushRefusedError(refusal)
  }
  if (addsObjects(changes)) await deps.quota.require(repo.owner, quota)
}
