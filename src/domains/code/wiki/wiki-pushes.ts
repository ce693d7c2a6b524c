import type { Core, Services } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { isSignedIn, systemActor, type Viewer } from '../../../core/access/viewer.ts'
import {
  branchRef,
  type Git,
  type IncomingPush,
  isZeroOid,
  type PushDecision,
  type PushPolicy,
  type PushResult,
  type GitRepo,
  isGitError,
} from '../../../core/git/index.ts'
import { refusalLines } from '../../../core/platform/refusal-lines.ts'
import { type Repo, type RepoInView, parseRepoSettings, repoQueries } from '../../repositories/index.ts'
import { wikiMode } from './wiki-access.policy.ts'

const storageOf = (repo: Repo): string => `${repo.storage}.wiki`

/** The git repository of the wiki; undefined if it has not been created. */
export async function findWiki(git: Git, repo: Repo): Promise<GitRepo | undefined> {
  const storage = storageOf(repo)
  return (await git.repoExists(storage)) ? git.open({ storage, objectFormat: repo.objectFormat }) : undefined
}

/** Creates the git repository of the wiki if it does not exist. */
export async function ensureWiki(git: Git, repo: Repo): Promise<GitRepo> {
  const existing = await findWiki(git, repo)
  if (existing) return existing
  try {
    await git.createRepo(storageOf(repo), { objectFormat: repo.objectFormat, defaultBranch: repo.wikiBranch })
  } catch (error) {
    if (!isGitError(error, 'exists')) throw error
  }
  return git.open({ storage: storageOf(repo), objectFormat: repo.objectFormat })
}

/** Deletes the files again if the repository was deleted during a write to its wiki, which may have re-created them. */
export const deleteWiki = (git: Git, repo: Repo): Promise<boolean> => git.removeRepo(storageOf(repo))

/** The value of `repo.wiki_oid`: the tip, or an empty string if there is none. */
async function recordedOid(git: Git, repo: Repo): Promise<string> {
  const wiki = await findWiki(git, repo)
  return (wiki && (await wikiTip(wiki, repo)).oid) ?? ''
}

interface WikiTip {
  /** Full name of the branch of the pages. */
  readonly ref: string
  /** Its commit; undefined before the first page. */
  readonly oid: string | undefined
}

/** The branch of the row, otherwise that of HEAD: after a crash or a push the two may differ. */
export async function wikiTip(wiki: GitRepo, repo: Repo): Promise<WikiTip> {
  const snapshot = await wiki.refs.snapshot()
  const wanted = branchRef(repo.wikiBranch)
  const named = snapshot.get(wanted)
  if (named) return { ref: wanted, oid: named.oid }
  const head = snapshot.head === undefined ? undefined : snapshot.get(snapshot.head)
  return head ? { ref: head.name, oid: head.oid } : { ref: wanted, oid: undefined }
}

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

const quotaRefusal = async (quota: Services['quota'], push: IncomingPush, repo: Repo): Promise<string | undefined> =>
  push.commands.some(({ newOid }) => !isZeroOid(newOid)) && (await quota.isExceeded(repo.owner, 'size:repos:all'))
    ? 'Quota exceeded'
    : undefined

interface WikiPushDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly quota: Services['quota']
}

/** Decides about one push to a wiki and records it after its refs are updated. */
export function wikiPushPolicy(deps: WikiPushDeps, viewer: Viewer, target: RepoInView): PushPolicy {
  return {
    async preReceive(push): Promise<PushDecision> {
      const refusal = refusalOf(push, viewer, target) ?? (await quotaRefusal(deps.quota, push, target.repo))
      if (refusal === undefined) return { verdicts: push.commands.map(() => ({ ok: true })) }
      const reason = 'pre-receive hook declined'
      return {
        verdicts: push.commands.map(() => ({ ok: false, reason })),
        messages: refusalLines(refusal),
      }
    },
    async postReceive(results: readonly PushResult[]) {
      const moves = results.flatMap((result) => result.moves)
      if (moves.length === 0) return []
      const repo = await repoQueries.findById(deps.database.read, target.repo.id)
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
        await repoQueries.setWikiTip(tx, repo.id, { oid, branch, updatedAt: at })
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
