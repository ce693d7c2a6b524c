import {
  type Git,
  type GitRepo,
  isValidRefName,
  type ReceivedRefs,
  type Remote,
  RemoteError,
} from '../../../../core/git/index.ts'
import { pullHeadRef } from '../../../pulls/index.ts'
import type { RemoteAccess } from '../../mirrors/remote-access.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourcePull } from '../source.ts'

export interface HeadDeps {
  readonly access: RemoteAccess
  readonly git: Pick<Git, 'maintain' | 'remotes'>
}

/** Finds the repository that the request names. Throws RemoteError and OutgoingError. */
export async function findRemote({ access }: HeadDeps, { request, signal }: PhaseContext): Promise<Remote> {
  return (await access.list(request.url, request.credentials, signal)).remote
}

/**
 * Fetches the commits of some pull requests into `refs/pull/N/head`, unless they are there from an earlier run, by one
 * fetch if all goes well. A ref that the service lacks is omitted; one with objects that are refused causes a warning.
 * NOTE: addresses of forks in answers of the service are never followed. Throws RemoteError and OutgoingError.
 */
export async function fetchHeads(deps: HeadDeps, context: PhaseContext, { remote, pulls }: Wanted): Promise<void> {
  const refs = await context.repo.refs.snapshot()
  const wanted = pulls.filter(
    ({ number, headRef }) =>
      headRef.startsWith('refs/') && isValidRefName(headRef) && refs.get(pullHeadRef(number)) === undefined,
  )
  await fetchSome(deps, context, { remote, pulls: wanted })
}

interface Wanted {
  readonly remote: Remote
  readonly pulls: readonly SourcePull[]
}

async function fetchSome(deps: HeadDeps, context: PhaseContext, { remote, pulls }: Wanted): Promise<void> {
  if (pulls.length === 0) return
  const bytes = await tryToFetch(deps, context, { remote, pulls })
  if (bytes !== undefined) return context.countBytes(bytes)
  const middle = Math.ceil(pulls.length / 2)
  if (pulls.length === 1) return
  await fetchSome(deps, context, { remote, pulls: pulls.slice(0, middle) })
  await fetchSome(deps, context, { remote, pulls: pulls.slice(middle) })
}

/** The number of fetched bytes; undefined if one of the refs cannot be fetched. */
async function tryToFetch(
  deps: HeadDeps,
  context: PhaseContext,
  { remote, pulls }: Wanted,
): Promise<number | undefined> {
  const { repo, signal, warn } = context
  let bytes = 0
  try {
    await deps.git.remotes.receiveRefs(remote, repo, {
      ...deps.access.transfer(signal),
      sources: [...new Set(pulls.map(({ headRef }) => headRef))],
      async move(received) {
        bytes = received.bytes
        await pointRefs(repo, pulls, received.oids)
      },
    })
    return bytes
  } catch (error) {
    if (!(error instanceof RemoteError) || error.kind !== 'failed' || signal.aborted) throw error
    if (pulls.length > 1) return undefined
    // Throws if more than this ref fails.
    await findRemote(deps, context)
    warn(`the commits of pull request ${pulls[0]!.number} were not imported: ${error.message}`)
    return undefined
  }
}

async function pointRefs(repo: GitRepo, pulls: readonly SourcePull[], oids: ReceivedRefs['oids']): Promise<void> {
  const updates = new Map<string, string>()
  for (const { number, headRef } of pulls) {
    const oid = oids.get(headRef)
    if (oid !== undefined && (await repo.objects.findInfo(oid))?.type === 'commit')
      updates.set(pullHeadRef(number), oid)
  }
  await repo.refs.update([...updates].map(([ref, oid]) => ({ ref, new: oid })))
}
