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
  readonly verifier: Verifier
  readonly quota: Services['quota']
  readonly proposals: PushProposals
  readonly hooks: PostPushHooks
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

interface PushOptions {
  /** The account whose right to push is checked, if not the actor's; `access` of the target is that account's too. */
  readonly pusher?: SignedIn
  /** The quota of the owner that must have room for new objects; `size:repos:all` where absent. */
  readonly quota?: QuotaSubject
  /** Runs in the transaction that records the push. */
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

  async function moveRefs(actor: Actor, repo: Repo, moves: RefMoves): Promise<void> {
    const { changes, defaultBranch } = moves
    const { refs } = deps.git.open(repo)
    await locked(repo.id, async () => {
      // NOTE: git cannot delete `a` and create `a/b` in one transaction, and a mirror accepts what its remote has.
      const parts = moves.isMirrorSync ? [changes.filter(isDeletion), changes.filter((c) => !isDeletion(c))] : [changes]
      for (const part of parts)
        await refs.update(part.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
      if (defaultBranch !== undefined) await refs.setHead(defaultBranch)
      await recordMoves(deps, repo.id, actor, moves)
    })
    await deps.hooks.run({ repo, actor: actorOf(asId(actor.account.id)), changes })
  }

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
     * Pushes refs to objects that the server wrote, all or none. Throws PushRefusedError when a push rule refuses one,
     * QuotaExceeded, and what `moveRefs` throws. Call within `writing` of the repository.
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
     * Throws PushRefusedError when a rule refuses that the actor merges with this change of a branch, QuotaExceeded when
     * the owner has no room for objects.
     */
    requireMergeable: (actor: SignedIn, target: RepoInView, change: RefChange, merge: MergeMove): Promise<void> =>
      requireAllowed(deps, actor, target, { changes: [change], merge }),
    /**
     * Moves refs, all or none, and records the moves as a push, without checking any rule. Throws RefConflictError when a
     * ref is not at its old value. Call within `writing` of the repository.
     */
    moveRefs,
    /** A commit without a good signature among those that `newOid` has and `oldOid` lacks. */
    findUnverified: (
      git: GitRepo,
      { oldOid, newOid }: Pick<RefChange, 'newOid' | 'oldOid'>,
    ): Promise<string | undefined> =>
      findUnverified({ git, incoming: git.incoming(), verifier: deps.verifier }, oldOid, newOid),
    /** Waits until the moves of refs that are being recorded are in the rows. */
    recorded: (repoId: Repo['id']): Promise<void> => locked(repoId, () => Promise.resolve()),
    /** The difference between refs and rows that a crash left; undefined when they agree. */
    inspect: (repoId: Repo['id']): Promise<Drift | undefined> => locked(repoId, () => inspectRepo(deps, repoId)),
    /** Makes rows, default branch and HEAD agree with the refs on disk. True when they did not. */
    reconcile: (repoId: Repo['id']): Promise<boolean> => locked(repoId, () => reconcileRepo(deps, repoId)),
  }
}

const isDeletion = ({ newOid }: RefChange): boolean => isZeroOid(newOid)

interface Checked {
  readonly changes: readonly RefChange[]
  readonly quota?: QuotaSubject | undefined
  /** The rules for merges apply in place of those for pushes. */
  readonly merge?: MergeMove
}

/** Throws PushRefusedError when a rule refuses one of the changes, QuotaExceeded when the owner has no room for objects. */
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
    // COMPAT: the API creates tags on a mirror, though they cannot be pushed to it
    // (behaviour/git-data-and-transport#common-rules; test/migration/pull-mirrors.test.ts); the next sync may delete
    // them.
    const isMirror = facts.isMirror && !change.ref.startsWith('refs/tags/')
    const refusal = await refusalOf(change, { ...facts, isMirror }, { ...common, isForced })
    if (refusal !== undefined) throw new PushRefusedError(refusal)
  }
  if (addsObjects(changes)) await deps.quota.require(repo.owner, quota)
}
