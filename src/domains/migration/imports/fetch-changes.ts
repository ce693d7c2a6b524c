import { type Git, isZeroOid, type ObjectFormat, type Remote, RemoteError } from '../../../core/git/index.ts'
import { actorOf } from '../../../core/access/viewer.ts'
import { isOutgoingError } from '../../../core/platform/outgoing/index.ts'
import type { Repo } from '../../repositories/index.ts'
import { mirrorChanges } from '../mirrors/mirror-changes.policy.ts'
import { wikiAddress } from '../mirrors/remote-access.ts'
import type { GitLocation } from './fetch-git.ts'
import type { ImportDeps } from './new-import.ts'
import type { ImportRequest } from './read-request.ts'

interface Changes {
  readonly copy: Repo
  readonly request: ImportRequest
  readonly signal: AbortSignal
}

interface FetchedChanges {
  readonly repo: ReturnType<Git['open']>
  readonly location: GitLocation
}

/**
 * Makes branches, tags and notes of the copy, and on request its wiki, equal to those of the other server, without the
 * events of a push. Throws RemoteError and OutgoingError.
 */
export async function fetchChanges(deps: ImportDeps, { copy, request, signal }: Changes): Promise<FetchedChanges> {
  const { git, access, pushes } = deps
  const repo = git.open(copy)
  const { remote, found } = await access.list(request.url, request.credentials, signal)
  requireFormat(found.objectFormat, copy)
  const options = { isPruning: true, zeroOid: repo.zeroOid }
  if (mirrorChanges(await repo.refs.snapshot(), found.refs, options).length > 0)
    await git.remotes.receive(remote, repo, {
      ...access.transfer(signal),
      async move(refs) {
        const changes = mirrorChanges(await repo.refs.snapshot(), refs, options)
        const defaultBranch = found.head !== undefined && refs.has(`refs/heads/${found.head}`) ? found.head : undefined
        await pushes.moveRefs(actorOf(copy.ownerId), copy, {
          changes,
          defaultBranch,
          isMirrorSync: true,
          isSilent: true,
        })
      },
    })
  if (request.wiki) await fetchWiki(deps, { copy, request, signal })
  return { repo, location: { url: remote.url, credentials: remote.credentials } }
}

/** An empty repository may have any. */
function requireFormat(format: ObjectFormat, copy: Repo): void {
  if (!copy.isEmpty && format !== copy.objectFormat)
    throw new RemoteError(
      'failed',
      `the other repository has the object format ${format}, the copy ${copy.objectFormat}`,
    )
}

/** Servers report the lack of a wiki with different errors. */
async function fetchWiki({ git, access, log }: ImportDeps, { copy, request, signal }: Changes): Promise<void> {
  const storage = `${copy.storage}.wiki`
  try {
    const { remote, found } = await access.list(wikiAddress(request.url), request.credentials, signal)
    if (found.refs.size === 0 || found.objectFormat !== copy.objectFormat) return
    if (!(await git.repoExists(storage))) {
      const defaultBranch = found.head ?? copy.wikiBranch
      await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch })
      return
    }
    await receiveAll(git, remote, git.open({ storage, objectFormat: copy.objectFormat }), access.transfer(signal))
  } catch (error) {
    if (!(error instanceof RemoteError) && !isOutgoingError(error)) throw error
    log.info({ problem: error.message }, 'no changes of the wiki imported')
  }
}

async function receiveAll(
  { remotes }: ImportDeps['git'],
  remote: Remote,
  wiki: FetchedChanges['repo'],
  transfer: ReturnType<ImportDeps['access']['transfer']>,
): Promise<void> {
  await remotes.receive(remote, wiki, {
    ...transfer,
    async move(refs) {
      const changes = mirrorChanges(await wiki.refs.snapshot(), refs, { isPruning: true, zeroOid: wiki.zeroOid })
      const isDeletion = ({ newOid }: (typeof changes)[number]): boolean => isZeroOid(newOid)
      for (const some of [changes.filter(isDeletion), changes.filter((change) => !isDeletion(change))])
        await wiki.refs.update(some.map(({ ref, oldOid, newOid }) => ({ ref, old: oldOid, new: newOid })))
    },
  })
}
