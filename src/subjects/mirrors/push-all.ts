import { hasUnit } from '../../access/units.ts'
import { type Git, RemoteError } from '../../git/index.ts'
import { lfsServerOf, type LfsTransfers } from '../lfs/index.ts'
import type { Repo } from '../repos/index.ts'
import { collectProblems } from './problems.ts'
import type { PushMirror } from './push-mirror.store.ts'
import type { RemoteAccess } from './remote-access.ts'
import { wikiAddress } from './remote-address.ts'

interface PushAllDeps {
  readonly git: Git
  readonly access: RemoteAccess
  readonly lfsTransfers: LfsTransfers | undefined
}

interface Pushing {
  readonly repo: Repo
  readonly mirror: PushMirror
  readonly signal: AbortSignal
}

interface PushOutcome {
  /** Branches and tags are there. */
  readonly isPushed: boolean
  readonly lfsSent: number
  /** Empty when all went well. */
  readonly problem: string
}

/**
 * Pushes large files, then branches and tags, then the wiki: each even when another failed; the problem names all failures.
 * Large files first, as git-lfs does it: servers may refuse commits that point to files they do not have.
 */
export async function pushAll(deps: PushAllDeps, pushing: Pushing): Promise<PushOutcome> {
  const { problems, trying } = collectProblems(pushing.signal)
  const lfsSent = await trying('', () => sendLargeFiles(deps, pushing))
  const pushed = await trying('', () => pushRefs(deps, pushing, 'repo'))
  await trying('wiki: ', () => pushWiki(deps, pushing))
  return { isPushed: pushed !== undefined, lfsSent: lfsSent ?? pushing.mirror.lfsSent, problem: problems.join('; ') }
}

async function sendLargeFiles(
  { git, access, lfsTransfers }: PushAllDeps,
  { repo, mirror, signal }: Pushing,
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

/** NOTE: on most servers a wiki exists only from its first page on: a missing one is no problem. */
async function pushWiki(deps: PushAllDeps, pushing: Pushing): Promise<void> {
  try {
    await pushRefs(deps, pushing, 'wiki')
  } catch (error) {
    if (!(error instanceof RemoteError && error.kind === 'missing')) throw error
  }
}

/** A repository without branches and tags pushes nothing: that would empty the other repository. */
async function pushRefs(
  { git, access }: PushAllDeps,
  { repo, mirror, signal }: Pushing,
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
