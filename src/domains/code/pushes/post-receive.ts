import { isSignedIn, type SignedIn, systemActor, type Viewer } from '../../../core/access/viewer.ts'
import type { PushResult } from '../../../core/git/index.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Repo } from '../../repositories/index.ts'
import { FOR } from './decide-proposal.ts'
import { processed, pullHints } from './push-hints.ts'
import { type PushSettings, readPushSettings } from './push-options.ts'
import type { PushFollowers } from './push-followers.ts'
import type { PreparedProposal, PushProposals } from './push-proposals.service.ts'
import { recordMoves, type RecordDeps } from './record-push.ts'

interface PostReceiveDeps extends RecordDeps {
  readonly proposals: PushProposals
  readonly followers: PushFollowers
  readonly printsPullUrls: boolean
  rootUrl(): string
  editRepo(actor: SignedIn, repo: Repo, edit: PushSettings): Promise<void>
  /** Runs `work` while nothing else moves refs of the repository and records that. */
  locked<T>(repoId: Repo['id'], work: () => Promise<T>): Promise<T>
}

interface ReceivedPush {
  readonly repo: Repo
  /** The accepted proposals, by the ref that was pushed to. */
  readonly prepared: ReadonlyMap<string, PreparedProposal>
  readonly results: readonly PushResult[]
  /** Push options as the client sent them. */
  readonly options: readonly string[]
}

/**
 * Completes proposals, records moved refs and changes settings. Returns lines for the client
 * (behaviour/git-data-and-transport#push-rules).
 */
export async function postReceive(deps: PostReceiveDeps, viewer: Viewer, push: ReceivedPush): Promise<string[]> {
  const { repo, results } = push
  const proposalLines = await completeProposals(push)
  const changes = results.filter(({ command }) => !command.ref.startsWith(FOR)).flatMap((result) => result.moves)
  if (changes.length > 0) {
    const pusher = isSignedIn(viewer) ? viewer : systemActor
    await deps.locked(repo.id, () => recordMoves(deps, repo.id, pusher, { changes }))
    await deps.followers.follow(repo, pusher.account.id, changes)
  }
  return [
    ...proposalLines,
    ...(await applySettings(deps, viewer, push)),
    ...(await pullHints({ ...deps, proposals: deps.proposals.port }, repo, changes)),
    ...processed(results.flatMap((result) => result.moves).length),
  ]
}

async function completeProposals({ results, prepared }: ReceivedPush): Promise<string[]> {
  const lines: string[] = []
  for (const { command, error } of results)
    if (error === undefined) lines.push(...((await prepared.get(command.ref)?.complete()) ?? []))
  return lines
}

/** A setting that cannot be changed does not undo the push; the reason is returned for the client. */
async function applySettings(
  deps: PostReceiveDeps,
  viewer: Viewer,
  { repo, options }: ReceivedPush,
): Promise<string[]> {
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
