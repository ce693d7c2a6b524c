import { hasUnit } from '../../../../core/access/units.ts'
import { type Git, RemoteError } from '../../../../core/git/index.ts'
import { type LfsTransfers, lfsServerOf } from '../../../code/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { collectProblems } from '../problems.ts'
import type { PushMirror } from './push-mirror.store.ts'
import type { RemoteAccess } from '../remote-access.ts'
import { wikiAddress } from '../remote-address.ts'

interface PushAllDeps {
  readonly git: Git
  readonly access: RemoteAccess
  readonly lfsTransfers: LfsTransfers | undefined
}

interface PushTask {
  readonly repo: Repo
  readonly mirror: PushMirror
  readonly signal: AbortSignal
}

interface PushOutcome {
  /** Branches and tags were pushed. */
  readonly isPushed: boolean
  readonly lfsSent: number
  /** Empty if everything was pushed. */
  readonly problem: string
}

/**
 * Pushes large files, then branches and tags, then the wiki. Each part runs even if another fails; `problem` lists all
 * failures. Large files come first, as in git-lfs: servers may refuse commits that refer to missing files.
 */
export async function pushAll(deps: PushAllDeps, task: PushTask): Promise<PushOutcome> {
  const { problems, attempt } = collectProblems(task.signal)
  const lfsSent = await attempt('', () => sendLargeFiles(deps, task))
  const pushed = await attempt('', () => pushRefs(deps, task, 'repo'))
  await attempt('wiki: ', () => pushWiki(deps, task))
  return { isPushed: pushed !== undefined, lfsSent: lfsSent ?? task.mirror.lfsSent, problem: problems.join('; ') }
}

async function sendLargeFiles(
  { git, access, lfsTransfers }: PushAllDeps,
  { repo, mirror, signal }: PushTask,
): Promise<number> {
  if (lfsTransfers === undefined || !(await lfsTransfers.hasMore(repo.id, mirror.lfsSent))) return mirror.lfsSent
  const { privateKey } = mirror
  const server =
    privateKey === ''
      ? lfsServerOf({ url: mirror.remoteUrl, credentials: access.unseal(mirror.credentials) })!
      : await git.remotes.askForLargeFiles(
          { ...(await access.open(mirror.remoteUrl, undefined)), privateKey: access.unsealKey(privateKey) },
          access.transfer(signal),
        )
  return lfsTransfers.send(server, repo.id, { after: mirror.lfsSent, signal })
}

/** NOTE: on most servers a wiki does not exist before its first page: a missing one is not a failure. */
async function pushWiki(deps: PushAllDeps, task: PushTask): Promise<void> {
  try {
    await pushRefs(deps, task, 'wiki')
  } catch (error) {
    if (!(error instanceof RemoteError && error.kind === 'missing')) throw error
  }
}

/** Pushes nothing from a repository without branches and tags: that would empty the remote. */
async function pushRefs(
  { git, access }: PushAllDeps,
  { repo, mirror, signal }: PushTask,
  which: 'repo' | 'wiki',
): Promise<true> {
  const storage = which === 'wiki' ? `${repo.storage}.wiki` : repo.storage
  if (which === 'wiki' && !(hasUnit(repo.units, 'repo.wiki') && (await git.repoExists(storage)))) return true
  const opened = git.open({ storage, objectFormat: repo.objectFormat })
  const refs = await opened.refs.snapshot()
  if (refs.list('refs/heads/').length === 0 && refs.list('refs/tags/').length === 0) return true
  const remote = await access.open(
    which === 'wiki' ? wikiAddress(mirror.remoteUrl) : mirror.remoteUrl,
    access.unseal(mirror.credentials),
  )
  const privateKey = access.unsealKey(mirror.privateKey)
  await git.remotes.push({ ...remote, ...(privateKey !== '' && { privateKey }) }, opened, access.transfer(signal))
  return true
}
