import type { CredentialRestriction } from '../../../core/access/authorize.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import { conflict } from '../../../core/platform/errors.ts'
import { asId, type RepoId, type UserId } from '../../../core/platform/crypto/ids.ts'
import { type Pull, listOpenPullsInto } from '../pulls/records/pull.store.ts'
import { type Repo, parseRepoSettings, repoQueries } from '../../repositories/index.ts'
import { listOpenBases } from './merges.store.ts'
import { type MergeDeps, record } from './merge-steps.ts'

const BATCH = 100

/**
 * Marks open pull requests as merged manually when the base contains their heads, in repositories that enable this
 * (behaviour/pull-requests#branch-lifecycle). Runs one history query for each 100 pull requests of a base.
 */
export async function detectMerges(deps: MergeDeps, repoId: RepoId, signal: AbortSignal): Promise<void> {
  const { read } = deps.database
  const repo = await repoQueries.findById(read, repoId)
  if (repo === undefined || !parseRepoSettings(repo.settings).pulls.autodetectManualMerge) return
  const git = deps.git.open(repo)
  for (const { branch, oid, pusherId, restriction } of await listOpenBases(read, repoId)) {
    const byId = pusherId > 0 ? asId<UserId>(pusherId) : repo.ownerId
    for await (const pull of containedPulls(deps, { repo, git, branch, tip: oid })) {
      signal.throwIfAborted()
      await recordFound(deps, { repo, git, tip: oid, pull, byId, restriction })
    }
  }
}

interface Base {
  readonly repo: Repo
  readonly git: GitRepo
  readonly branch: string
  readonly tip: string
}

/** The open pull requests whose heads the base branch contains. */
async function* containedPulls(
  { database: { read } }: MergeDeps,
  { repo, git, branch, tip }: Base,
): AsyncGenerator<Pull, void, undefined> {
  let afterId: Pull['id'] | 0 = 0
  for (;;) {
    const pulls: Pull[] = await listOpenPullsInto(read, { repoId: repo.id, branch }, { afterId, limit: BATCH })
    if (pulls.length === 0) return
    const outside = await git.history.notWithin(tip, [...new Set(pulls.map((pull) => pull.headOid))])
    for (const pull of pulls) if (!outside.has(pull.headOid)) yield pull
    afterId = pulls.at(-1)!.id
  }
}

interface Found {
  readonly repo: Repo
  readonly git: GitRepo
  readonly tip: string
  readonly pull: Pull
  readonly byId: UserId
  /** The restriction of the credentials that pushed. */
  readonly restriction: CredentialRestriction | undefined
}

async function recordFound(deps: MergeDeps, { repo, git, tip, pull, byId, restriction }: Found): Promise<void> {
  const oid = (await firstMerge(git, pull.headOid, tip)) ?? pull.headOid
  const { author } = await git.objects.commit(oid)
  const intent = {
    pullId: pull.id,
    repoId: repo.id,
    baseBranch: pull.baseBranch,
    oid,
    style: 'manually-merged',
    actorId: byId,
    restriction,
    isAuto: false,
    deletesBranch: false,
    server: '',
    at: deps.clock.now(),
  }
  const recorded = { repo, issueId: pull.issueId, intent, mergedAt: author.time * 1000 }
  await deps.database.transaction((tx) => record(deps, tx, recorded))
}

/** The first merge commit between the head and the tip; undefined when there is none. */
async function firstMerge(git: GitRepo, head: string, tip: string): Promise<string | undefined> {
  const args = ['rev-list', '--ancestry-path', '--merges', '--topo-order', '--reverse', `${head}..${tip}`, '--']
  const { stdout } = await git.command.run(args)
  return stdout.toString('latin1').split('\n')[0] || undefined
}

interface ManualMerge {
  readonly oid: string
  /** The author time of the commit, in epoch milliseconds. */
  readonly at: number
}

/** The commit that a client names as the merge. Throws Conflict unless it is the full id of a commit of the base. */
export async function findManualMerge(
  git: GitRepo,
  { baseOid, oid }: { readonly baseOid: string; readonly oid: string },
): Promise<ManualMerge> {
  const info = oid.length === baseOid.length ? await git.objects.findInfo(oid) : undefined
  if (info?.type !== 'commit' || !(await git.history.isAncestor(info.oid, baseOid))) throw conflict('Wrong commit ID')
  const { author } = await git.objects.commit(info.oid)
  return { oid: info.oid, at: author.time * 1000 }
}
