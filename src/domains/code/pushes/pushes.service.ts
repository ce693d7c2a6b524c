import type { Core, Services } from '../../../core/module.ts'
import { type Actor, actorOf, type SignedIn, type Viewer } from '../../../core/access/viewer.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { Tx } from '../../../core/db/database.ts'
import { type GitRepo, isZeroOid, type PushPolicy } from '../../../core/git/index.ts'
import { DomainError } from '../../../core/platform/errors.ts'
import { KeyedMutex, type SharedLocks } from '../../../core/platform/concurrency/lock-table.ts'
import type { MergeMove, Refusal } from '../protections/branches/branch-rules.policy.ts'
import type { QuotaSubject } from '../../accounts/index.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import type { Verifier } from '../verification/verifier.service.ts'
import { addsObjects, findUnverified, loadRules, pushFacts, refusalOf } from './check-push.ts'
import { postReceive, type PostPushHooks } from './post-receive.ts'
import { preReceive, type PushSettings } from './decide-proposal.ts'
import type { PreparedProposal, PushProposals } from './push-proposals.service.ts'
import { type Drift, inspectRepo, reconcileRepo } from './reconcile-repos.ts'
import { recordMoves, type RefChange, type RefMoves } from './record-push.ts'

interface PushDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events' | 'log'> {
  readonly branchWriters: Services['branchWriters']
  readonly verifier: Verifier
  readonly quota: Services['quota']
  readonly proposals: PushProposals
  readonly hooks: PostPushHooks
  /** Locks that all processes share; undefined if this is the only process. */
  readonly locks: SharedLocks | undefined
  /** Whether the output of a push contains the URLs that create pull requests. */
  readonly printsPullUrls: boolean
  /** The URL of the server without a trailing slash. */
  rootUrl(): string
  /** Changes repository settings; the actor must administer the repository. Throws Invalid for an invalid value. */
  editRepo(actor: SignedIn, repo: Repo, edit: PushSettings): Promise<void>
}

interface PushOptions {
  /**
   * The account whose push permission is checked, if not the actor; `access` of the target is also that of this
   * account.
   */
  readonly pusher?: SignedIn
  /** The quota of the owner to check for new objects; `size:repos:all` if absent. */
  readonly quota?: QuotaSubject
  /** Runs in the transaction that records the push. */
  readonly inTransaction?: (tx: Tx) => Promise<void>
}

/** A push rule refuses a ref. `refusal` is the reason, for callers with their own messages. */
export class PushRefusedError extends DomainError {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('forbidden', refusal.text)
    this.refusal = refusal
  }
}

export type Pushes = ReturnType<typeof createPushes>

export function createPushes(deps: PushDeps) {
  // NOTE: updating refs and recording the updates is one step per repository; otherwise rows could end at an older
  // value.
  const mutex = new KeyedMutex({ name: 'pushes', locks: deps.locks })
  const locked = <T>(repoId: Repo['id'], work: () => Promise<T>): Promise<T> => mutex.run(String(repoId), work)

  async function moveRefs(actor: Actor, repo: Repo, moves: RefMoves): Promise<void> {
    const { changes, defaultBranch } = moves
    const { refs } = deps.git.open(repo)
    await locked(repo.id, async () => {
      // NOTE: git cannot delete `a` and create `a/b` in one transaction, and a mirror must accept both from its remote.
      const parts = moves.isMirrorSync ? [changes.filter(isDeletion), changes.filter((c) => !isDeletion(c))] : [changes]
      for (const part of parts)
        await refs.update(part.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
      if (defaultBranch !== undefined) await refs.setHead(defaultBranch)
      await recordMoves(deps, repo.id, actor, moves)
    })
    if (!moves.isSilent) await deps.hooks.run({ repo, actor: actorOf(asId(actor.account.id)), changes })
  }

  return {
    /** The hooks of one push by one viewer; create one for each push. */
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
     * Pushes refs to objects that the server wrote, atomically. Throws PushRefusedError if a push rule refuses one,
     * QuotaExceeded, and the errors of `moveRefs`. Call within `writing` of the repository.
     */
    async push(
      actor: SignedIn,
      target: RepoInView,
      changes: readonly RefChange[],
      { pusher = actor, quota, inTransaction }: PushOptions = {},
    ): Promise<void> {
      await requireAllowed(deps, pusher, target, { changes, quota })
      await moveRefs(actor, target.repo, { changes, inTransaction })
    },
    /**
     * Throws PushRefusedError if a rule forbids the actor to merge with this change of a branch, QuotaExceeded if the
     * quota of the owner is exhausted.
     */
    requireMergeable: (actor: SignedIn, target: RepoInView, change: RefChange, merge: MergeMove): Promise<void> =>
      requireAllowed(deps, actor, target, { changes: [change], merge }),
    /**
     * Updates refs atomically and records the updates as a push, without checking any rule. Throws RefConflictError if
     * a ref does not have its old value. Call within `writing` of the repository.
     */
    moveRefs,
    /** Finds a commit without a valid signature among those that `newOid` has and `oldOid` lacks. */
    findUnverified: (
      git: GitRepo,
      { oldOid, newOid }: Pick<RefChange, 'newOid' | 'oldOid'>,
    ): Promise<string | undefined> =>
      findUnverified({ git, incoming: git.incoming(), verifier: deps.verifier }, oldOid, newOid),
    /** Waits until all current updates of refs are recorded. */
    recorded: (repoId: Repo['id']): Promise<void> => locked(repoId, () => Promise.resolve()),
    /** The difference between refs and rows after a crash; undefined if they agree. */
    inspect: (repoId: Repo['id']): Promise<Drift | undefined> => locked(repoId, () => inspectRepo(deps, repoId)),
    /** Updates rows, default branch and HEAD to match the refs on disk. Returns true if they differed. */
    reconcile: (repoId: Repo['id']): Promise<boolean> => locked(repoId, () => reconcileRepo(deps, repoId)),
  }
}

const isDeletion = ({ newOid }: RefChange): boolean => isZeroOid(newOid)

interface Checked {
  readonly changes: readonly RefChange[]
  readonly quota?: QuotaSubject | undefined
  /** If set, the rules for merges apply instead of those for pushes. */
  readonly merge?: MergeMove
}

/**
 * Throws PushRefusedError if a rule refuses one of the changes, QuotaExceeded if the quota of the owner is exhausted.
 */
async function requireAllowed(
  deps: PushDeps,
  pusher: SignedIn,
  target: RepoInView,
  { changes, quota = 'size:repos:all', merge }: Checked,
): Promise<void> {
  const { repo } = target
  const git = deps.git.open(repo)
  const facts = { ...pushFacts(deps, pusher, target, await loadRules(deps, pusher, repo, changes)), merge }
  const common = { git, incoming: git.incoming(), verifier: deps.verifier }
  for (const change of changes) {
    const isForced = async (): Promise<boolean> => !(await git.history.isAncestor(change.oldOid, change.newOid))
    // COMPAT: the API creates tags in a mirror, although clients cannot push them
    // (behaviour/git-data-and-transport#common-rules; test/migration/pull-mirrors.test.ts); the next sync may delete
    // them.
    const isMirror = facts.isMirror && !change.ref.startsWith('refs/tags/')
    const refusal = await refusalOf(change, { ...facts, isMirror }, { ...common, isForced })
    if (refusal !== undefined) throw new PushRefusedError(refusal)
  }
  if (addsObjects(changes)) await deps.quota.require(repo.owner, quota)
}
