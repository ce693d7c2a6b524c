import { RemoteError, type ObjectFormat } from '../../../core/git/index.ts'
import { isOutgoingError } from '../../../core/platform/outgoing/index.ts'
import { pushRules } from '../../code/index.ts'
import { type FoundRemote, wikiAddress } from '../mirrors/remote-access.ts'
import type { ImportDeps } from './new-import.ts'
import type { ImportRequest } from './read-request.ts'

/** The address from which git data was fetched, after redirects, and its credentials. */
export type GitLocation = Pick<ImportRequest, 'url' | 'credentials'>

export interface FetchedGit {
  readonly defaultBranch: string
  readonly remoteHead: string
  readonly objectFormat: ObjectFormat
  readonly branches: readonly { readonly name: string; readonly oid: string }[]
  /** Undefined if no wiki was fetched. */
  readonly wiki: FetchedWiki | undefined
  /** Bytes. */
  readonly size: number
  readonly location: GitLocation
}

interface FetchedWiki {
  readonly branch: string
  /** The tip of that branch; empty if there is none. */
  readonly oid: string
}

const BRANCHES = 'refs/heads/'

/** Fetches branches, tags, notes and, on request, the wiki. Throws RemoteError and OutgoingError. */
export async function fetchGit(
  deps: ImportDeps,
  request: ImportRequest,
  { storage, signal }: { readonly storage: string; readonly signal: AbortSignal },
): Promise<FetchedGit> {
  const { git, access, rules } = deps
  const { remote, found } = await access.list(request.url, request.credentials, signal)
  const defaultBranch = chooseBranch(found, rules.defaultBranch)
  await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch })
  const wiki = request.wiki
    ? await fetchWiki(deps, request, { storage: `${storage}.wiki`, signal, objectFormat: found.objectFormat })
    : undefined
  const snapshot = await git.open({ storage, objectFormat: found.objectFormat }).refs.snapshot()
  const branches = snapshot.list(BRANCHES).map(({ name, oid }) => ({ name: name.slice(BRANCHES.length), oid }))
  const { bytes } = await git.measureRepo(storage)
  return {
    defaultBranch,
    remoteHead: found.head ?? '',
    objectFormat: found.objectFormat,
    branches,
    wiki,
    size: bytes,
    location: { url: remote.url, credentials: remote.credentials },
  }
}

/**
 * Returns undefined if there is no wiki: servers report that with different errors, so no error counts as a failure.
 */
async function fetchWiki(
  { git, access, rules, log }: ImportDeps,
  request: ImportRequest,
  { storage, signal, objectFormat }: { storage: string; signal: AbortSignal; objectFormat: ObjectFormat },
): Promise<FetchedWiki | undefined> {
  try {
    const { remote, found } = await access.list(wikiAddress(request.url), request.credentials, signal)
    if (found.refs.size === 0 || found.objectFormat !== objectFormat) return undefined
    const branch = chooseBranch(found, rules.defaultBranch)
    await git.remotes.import(remote, found, { ...access.transfer(signal), storage, defaultBranch: branch })
    const snapshot = await git.open({ storage, objectFormat }).refs.snapshot()
    return { branch, oid: snapshot.get(`${BRANCHES}${branch}`)?.oid ?? '' }
  } catch (error) {
    if (!(error instanceof RemoteError) && !isOutgoingError(error)) throw error
    log.info({ problem: error.message }, 'no wiki imported')
    return undefined
  }
}

function chooseBranch(found: FoundRemote['found'], fallback: string): string {
  const branches = [...found.refs.keys()]
    .filter((name) => name.startsWith(BRANCHES))
    .map((name) => name.slice(BRANCHES.length))
  return pushRules.firstDefaultBranch(branches, found.head ?? fallback) ?? found.head ?? fallback
}
