import { isSignedIn, type SignedIn, type Viewer, viewerId } from '../../access/viewer.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import { type Git, type IncomingPush, isZeroOid, type PushPolicy, type PushResult } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { DomainError, isDomainError } from '../../platform/errors.ts'
import { KeyedMutex } from '../../platform/keyed-mutex.ts'
import type { Logger } from '../../platform/logger.ts'
import { firstDefaultBranch, type Refusal } from '../protections/index.ts'
import type { DiskQuota, QuotaSubject } from '../quota/index.ts'
import { findRepoById, type Repo, type RepoInView, settleHead } from '../repos/index.ts'
import type { Verifier } from '../verification/index.ts'
import { FOR, type PushProposals } from './agit.ts'
import { addsObjects, loadRules, NO_RULES, pushFacts, refusalOf } from './check-push.ts'
import { decidePush, finishProposals, type PreparedProposals } from './decide-push.ts'
import { processed, pullHints } from './push-hints.ts'
import { type PushSettings, readPushSettings } from './push-settings.ts'
import { type Drift, findDrift } from './find-drift.ts'
import { recordPush, type RefChange } from './record-push.ts'

export interface PushDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly events: Events
  readonly log: Logger
  readonly verifier: Verifier
  readonly quota: DiskQuota
  readonly proposals: PushProposals
  /** Answers of pushes say where pull requests are made. */
  readonly givesHints: boolean
  /** Where the server is reached, without a slash at the end. */
  rootUrl(): string
  /** Changes what push options name; the viewer administers the repository. Throws invalid for what cannot be set. */
  editRepo(viewer: SignedIn, repo: Repo, edit: PushSettings): Promise<void>
}

export interface Pushes {
  /** The rules for one push of one viewer, and what follows when refs have moved. */
  policyFor(viewer: Viewer, target: RepoInView): PushPolicy
  /**
   * Moves refs to objects that the server made itself, all or none, and records that as a push. PushRefusedError by the
   * push rules; RefConflictError when a ref is not at its old value. Use within `writing` of the repository.
   */
  move(viewer: Viewer, target: RepoInView, changes: readonly RefChange[], options?: MoveOptions): Promise<void>
  /**
   * Moves the refs of a mirror as those of its remote are, whatever the push rules say, and records that as a push of
   * its owner. Use within `writing` of the repository.
   */
  follow(repo: Repo, changes: readonly RefChange[], options?: MoveOptions): Promise<void>
  /** What a crash left between refs and rows, by the same lock as pushes; undefined when they agree. */
  inspect(repoId: Repo['id']): Promise<Drift | undefined>
  /** Makes rows, default branch and HEAD agree with the refs on disk. True when something was wrong. */
  reconcile(repoId: Repo['id']): Promise<boolean>
}

export interface MoveOptions {
  /** Becomes the default branch together with the move. */
  readonly defaultBranch?: string
  /** The caller has decided about protections itself; the other rules hold all the same. */
  readonly unprotected?: boolean
  /** What of the owner's quota it takes from; repositories unless said otherwise. */
  readonly charged?: QuotaSubject
  /** Written in the transaction that records the move. */
  readonly alongside?: (tx: Tx) => Promise<void>
}

/** Forbidden by a push rule; where the caller has words of its own for the reason, it looks at `refusal`. */
export class PushRefusedError extends DomainError {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('forbidden', refusal.text)
    this.refusal = refusal
  }
}

const BRANCH = 'refs/heads/'

export function createPushes(deps: PushDeps): Pushes {
  const recording = new KeyedMutex()

  async function moved(
    viewer: Viewer,
    repo: Repo,
    results: readonly PushResult[],
    { pushOptions }: IncomingPush,
  ): Promise<readonly string[]> {
    const changes = results.filter(({ command }) => !command.ref.startsWith(FOR)).flatMap((result) => result.moves)
    if (changes.length > 0)
      await recording.run(String(repo.id), () => record(deps, repo.id, viewerId(viewer) ?? 0, { changes }))
    return [
      ...(await applySettings(deps, viewer, repo, pushOptions)),
      ...(await pullHints({ ...deps, proposals: deps.proposals.port }, repo, changes)),
      ...processed(results.flatMap((result) => result.moves).length),
    ]
  }

  async function move(
    viewer: Viewer,
    target: RepoInView,
    changes: readonly RefChange[],
    options: MoveOptions,
  ): Promise<void> {
    const { repo } = target
    const { defaultBranch, alongside } = options
    const opened = deps.git.open(repo)
    const rules = options.unprotected ? NO_RULES : await loadRules(deps, viewer, repo, changes)
    const facts = { ...pushFacts(deps, viewer, target, rules), ...(defaultBranch !== undefined && { defaultBranch }) }
    const common = { git: opened, incoming: opened.incoming(), verifier: deps.verifier }
    for (const change of changes) {
      const isForced = async (): Promise<boolean> => !(await opened.history.isAncestor(change.oldOid, change.newOid))
      // COMPAT: tags may be made on a mirror, though not pushed to it (reference git-data §1); the next sync may prune
      // them.
      const isMirror = facts.isMirror && !change.ref.startsWith('refs/tags/')
      const refusal = await refusalOf(change, { ...facts, isMirror }, { ...common, isForced })
      if (refusal !== undefined) throw new PushRefusedError(refusal)
    }
    if (addsObjects(changes)) await deps.quota.require(repo.owner, options.charged ?? 'size:repos:all')
    await recording.run(String(repo.id), async () => {
      const { refs } = opened
      await refs.update(changes.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
      if (defaultBranch !== undefined) await refs.setHead(defaultBranch)
      await record(deps, repo.id, viewerId(viewer) ?? 0, { changes, defaultBranch, alongside })
    })
  }

  async function follow(repo: Repo, changes: readonly RefChange[], { defaultBranch }: MoveOptions): Promise<void> {
    await recording.run(String(repo.id), async () => {
      const { refs } = deps.git.open(repo)
      // NOTE: git cannot delete `a` and make `a/b` in one transaction.
      for (const part of [
        changes.filter((change) => isZeroOid(change.newOid)),
        changes.filter((change) => !isZeroOid(change.newOid)),
      ]) {
        await refs.update(part.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
      }
      if (defaultBranch !== undefined) await refs.setHead(defaultBranch)
      await record(deps, repo.id, repo.ownerId, { changes, defaultBranch, isMirrorSync: true })
    })
  }

  return {
    follow: (repo, changes, options = {}) => follow(repo, changes, options),
    move: (viewer, target, changes, options = {}) => move(viewer, target, changes, options),
    policyFor(viewer, { repo, access }) {
      const prepared: PreparedProposals = new Map()
      return {
        preReceive: (push) => decidePush(deps, viewer, push, { repo, access, prepared }),
        postReceive: async (results, push) => [
          ...(await finishProposals(results, prepared)),
          ...(await moved(viewer, repo, results, push)),
        ],
      }
    },
    inspect: (repoId) => recording.run(String(repoId), () => inspect(deps, repoId)),
    reconcile: (repoId) => recording.run(String(repoId), () => reconcile(deps, repoId)),
  }
}

/** A setting that cannot be changed does not undo the push; the client gets the reason. */
async function applySettings(
  deps: PushDeps,
  viewer: Viewer,
  repo: Repo,
  options: readonly string[],
): Promise<readonly string[]> {
  const settings = readPushSettings(options)
  if (settings === undefined || !isSignedIn(viewer)) return []
  try {
    await deps.editRepo(viewer, repo, settings)
    return []
  } catch (error) {
    if (isDomainError(error)) return [`error: ${error.message}`]
    throw error
  }
}

interface Recorded {
  readonly changes: readonly RefChange[]
  readonly defaultBranch?: string | undefined
  readonly isMirrorSync?: boolean
  readonly alongside?: ((tx: Tx) => Promise<void>) | undefined
}

/** HEAD first, then the rows: a crash in between is healed by `reconcile`. */
async function record(
  deps: PushDeps,
  repoId: Repo['id'],
  pusherId: number,
  { changes, defaultBranch: wanted, isMirrorSync, alongside }: Recorded,
): Promise<void> {
  const repo = await findRepoById(deps.database.read, repoId)
  if (repo === undefined) return
  const defaultBranch = wanted ?? (await chooseDefaultBranch(deps.git, repo, changes))
  const origin = { repoId, pusherId, at: deps.clock.now() }
  await deps.database.transaction(async (tx) => {
    await recordPush(tx, deps.events, origin, { repo, changes, defaultBranch, isMirrorSync })
    await alongside?.(tx)
  })
  if (defaultBranch !== undefined) await settleHead(deps, repoId)
}

async function chooseDefaultBranch(git: Git, repo: Repo, changes: readonly RefChange[]): Promise<string | undefined> {
  if (!repo.isEmpty) return undefined
  const created = changes.filter((change) => change.ref.startsWith(BRANCH) && !isZeroOid(change.newOid))
  const chosen = firstDefaultBranch(
    created.map((change) => change.ref.slice(BRANCH.length)),
    repo.defaultBranch,
  )
  if (chosen !== undefined) await git.open(repo).refs.setHead(chosen)
  return chosen
}

async function inspect(deps: PushDeps, repoId: Repo['id']): Promise<Drift | undefined> {
  const repo = await findRepoById(deps.database.read, repoId)
  return repo && findDrift(deps, repo)
}

async function reconcile(deps: PushDeps, repoId: Repo['id']): Promise<boolean> {
  const drift = await inspect(deps, repoId)
  if (drift === undefined) return false
  deps.log.warn(
    { repo: repoId, refs: drift.changes.length, head: drift.head },
    'refs and rows differ; making them agree',
  )
  if (drift.changes.length > 0) await record(deps, repoId, 0, { changes: drift.changes })
  const repo = await findRepoById(deps.database.read, repoId)
  if (repo !== undefined) await deps.git.open(repo).refs.setHead(repo.defaultBranch)
  return true
}
