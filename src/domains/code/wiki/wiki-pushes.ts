import type { Core } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/access-mode.ts'
import { isSignedIn, systemActor, type Viewer } from '../../../core/access/viewer.ts'
import {
  branchRef,
  type Git,
  type IncomingPush,
  isZeroOid,
  type PushDecision,
  type PushPolicy,
  type PushResult,
} from '../../../core/git/index.ts'
import type { DiskQuota } from '../../accounts/index.ts'
import { type Repo, type RepoInView, findRepoById, parseRepoSettings, updateRepo } from '../../repositories/index.ts'
import { wikiMode } from './wiki-access.policy.ts'
import { findWiki, recordedOid } from './wiki-repo.ts'

const BRANCH = 'refs/heads/'

/**
 * The reason to refuse a push: the viewer may not write, or wikis do not support the update. Branch and tag protections
 * do not apply to wikis (behaviour/git-data-and-transport#push-rules).
 */
function refusalOf(push: IncomingPush, viewer: Viewer, { repo, access }: RepoInView): string | undefined {
  if (
    wikiMode(viewer, {
      units: repo.units,
      access,
      isGloballyEditable: parseRepoSettings(repo.settings).globallyEditableWiki,
    }) < AccessMode.write
  )
    return 'User permission denied for writing.'
  if (repo.isArchived)
    return 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'
  if (push.commands.some(({ ref }) => ref.startsWith('refs/for/')))
    return 'Pull requests are not supported on the wiki.'
  if (push.commands.some(({ ref, newOid }) => ref === branchRef(repo.wikiBranch) && isZeroOid(newOid)))
    return `branch ${repo.wikiBranch} is the branch of the wiki and cannot be deleted`
  return undefined
}

const quotaRefusal = async (quota: DiskQuota, push: IncomingPush, repo: Repo): Promise<string | undefined> =>
  push.commands.some(({ newOid }) => !isZeroOid(newOid)) && (await quota.isExceeded(repo.owner, 'size:repos:all'))
    ? 'Quota exceeded'
    : undefined

interface WikiPushDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly quota: DiskQuota
}

/** Decides about one push to a wiki and records it after its refs have moved. */
export function wikiPushPolicy(deps: WikiPushDeps, viewer: Viewer, target: RepoInView): PushPolicy {
  return {
    async preReceive(push): Promise<PushDecision> {
      const refusal = refusalOf(push, viewer, target) ?? (await quotaRefusal(deps.quota, push, target.repo))
      if (refusal === undefined) return { verdicts: push.commands.map(() => ({ ok: true })) }
      const reason = 'pre-receive hook declined'
      return {
        verdicts: push.commands.map(() => ({ ok: false, reason })),
        messages: [`error: ${refusal}`],
      }
    },
    async postReceive(results: readonly PushResult[]) {
      const moves = results.flatMap((result) => result.moves)
      if (moves.length === 0) return []
      const repo = await findRepoById(deps.database.read, target.repo.id)
      if (repo === undefined) return []
      const branch = await chooseBranch(
        deps.git,
        repo,
        moves
          .filter(({ ref, newOid }) => ref.startsWith(BRANCH) && !isZeroOid(newOid))
          .map(({ ref }) => ref.slice(BRANCH.length)),
      )
      const at = deps.clock.now()
      const oid = await recordedOid(deps.git, { ...repo, ...(branch !== undefined && { wikiBranch: branch }) })
      await deps.database.transaction(async (tx) => {
        await updateRepo(tx, repo.id, {
          updated_at: at,
          wiki_oid: oid,
          ...(branch !== undefined && { wiki_branch: branch }),
        })
        await deps.events.append(
          tx,
          'wiki.pushed',
          { actor: isSignedIn(viewer) ? viewer : systemActor, repoId: repo.id, at },
          { repo_id: repo.id },
        )
      })
      return []
    },
  }
}

/**
 * If the first push to a wiki updates another branch than the configured one, that branch becomes the branch of the
 * pages.
 */
async function chooseBranch(git: Git, repo: Repo, pushed: readonly string[]): Promise<string | undefined> {
  const wiki = await findWiki(git, repo)
  if (
    wiki === undefined ||
    pushed.length === 0 ||
    (await wiki.refs.snapshot()).get(branchRef(repo.wikiBranch)) !== undefined
  )
    return undefined
  const chosen = pushed.find((name) => name === 'main' || name === 'master') ?? pushed[0]!
  await wiki.refs.setHead(chosen)
  return chosen
}
