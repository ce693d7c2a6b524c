import {
  actorOf,
  isSignedIn,
  type SignedIn,
  systemActor,
  type Viewer,
  type Actor,
} from '../../../core/access/viewer.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { hasUnit } from '../../../core/access/repo-access.ts'
import { isZeroOid, type PushResult, isGitError } from '../../../core/git/index.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Repo } from '../../repositories/index.ts'
import { FOR, type PushSettings, readPushSettings } from './decide-proposal.ts'
import type { AgitProposals, PreparedProposal, PushProposals } from './push-proposals.service.ts'
import { recordMoves, type RecordDeps, type RefChange } from './record-push.ts'
import { createHook, type Hook } from '../../../core/platform/hook.ts'
import type { Logger } from '../../../core/platform/logger.ts'

export interface RecordedPush {
  readonly repo: Repo
  /** The actor that the push is attributed to. */
  readonly actor: Actor
  readonly changes: readonly RefChange[]
}

/**
 * Hooks that run after a push is recorded and before the response, for refs and rows that clients read right after
 * their push. A hook must be short, and a job must repair its failures later.
 */
export type PostPushHooks = Hook<[push: RecordedPush]>

// NOTE: the refs are updated already: a client that received the error would repeat the push.
export const createPostPushHooks = (log: Logger): PostPushHooks =>
  createHook<[push: RecordedPush]>({
    onError: (error, { repo }) => log.error({ err: error, repo: repo.id }, 'post-push hook failed; a job will retry'),
  })

/**
 * Hooks that update refs when a client of protocol v2 requests them by name, in the repository with that storage name.
 * They run before the refs are listed: they must be short, do nothing for refs that are up to date, and ignore other
 * names.
 */
export type OnDemandRefs = Hook<[storage: string, names: readonly string[]]>

export const createOnDemandRefs = (log: Logger): OnDemandRefs =>
  createHook<[storage: string, names: readonly string[]]>({
    onError(error, storage) {
      if (!isGitError(error)) throw error
      log.warn({ err: error, storage }, 'failed to update a ref that a client requested')
    },
  })

interface PostReceiveDeps extends RecordDeps {
  readonly proposals: PushProposals
  readonly hooks: PostPushHooks
  readonly printsPullUrls: boolean
  rootUrl(): string
  editRepo(actor: SignedIn, repo: Repo, edit: PushSettings): Promise<void>
  /** Runs `work` exclusively with all updates of refs of the repository that are recorded. */
  locked<T>(repoId: Repo['id'], work: () => Promise<T>): Promise<T>
}

interface ReceivedPush {
  readonly repo: Repo
  /** The accepted proposals, by the pushed ref. */
  readonly prepared: ReadonlyMap<string, PreparedProposal>
  readonly results: readonly PushResult[]
  /** Push options as the client sent them. */
  readonly options: readonly string[]
}

/**
 * Completes proposals, records updated refs and changes settings. Returns lines for the client
 * (behaviour/git-data-and-transport#push-rules).
 */
export async function postReceive(deps: PostReceiveDeps, viewer: Viewer, push: ReceivedPush): Promise<string[]> {
  const { repo, results } = push
  const proposalLines = await completeProposals(push)
  const changes = results.filter(({ command }) => !command.ref.startsWith(FOR)).flatMap((result) => result.moves)
  if (changes.length > 0) {
    const pusher = isSignedIn(viewer) ? viewer : systemActor
    await deps.locked(repo.id, () => recordMoves(deps, repo.id, pusher, { changes }))
    await deps.hooks.run({ repo, actor: actorOf(asId(pusher.account.id)), changes })
  }
  return [
    ...proposalLines,
    ...(await applySettings(deps, viewer, push)),
    ...(await pullHints({ ...deps, proposals: deps.proposals.find() }, repo, changes)),
    ...processed(results.flatMap((result) => result.moves).length),
  ]
}

async function completeProposals({ results, prepared }: ReceivedPush): Promise<string[]> {
  const lines: string[] = []
  for (const { command, error } of results)
    if (error === undefined) lines.push(...((await prepared.get(command.ref)?.complete()) ?? []))
  return lines
}

/** A setting that cannot be changed does not fail the push; the reason is returned to the client. */
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

const BRANCH = 'refs/heads/'
/** A push of thousands of branches, as of a whole repository, would print as many blocks and ask as many queries. */
const MAX_HINTS = 20

interface HintDeps {
  readonly proposals?: Pick<AgitProposals, 'findPullUrl'> | undefined
  /** If false, no lines are returned. */
  readonly printsPullUrls: boolean
  rootUrl(): string
}

/**
 * Lines with the URL of the pull request of the first pushed branches, or of the page that creates one
 * (behaviour/git-data-and-transport#push-rules).
 */
async function pullHints(
  { proposals, printsPullUrls, rootUrl }: HintDeps,
  repo: Repo,
  changes: readonly RefChange[],
): Promise<string[]> {
  const lines: string[] = []
  if (!printsPullUrls || repo.isEmpty || !hasUnit(repo.units, 'repo.pulls')) return lines
  const branches = changes
    .filter(({ ref, newOid }) => ref.startsWith(BRANCH) && !isZeroOid(newOid))
    .map(({ ref }) => ref.slice(BRANCH.length))
    .filter((branch) => branch !== repo.defaultBranch || repo.isFork)
  for (const branch of branches.slice(0, MAX_HINTS)) {
    const url = await proposals?.findPullUrl(repo, branch)
    const path = branch.split('/').map(encodeURIComponent).join('/')
    if (url !== undefined) lines.push('', 'Visit the existing pull request:', `  ${url}`, '')
    else
      lines.push(
        '',
        `Create a new pull request for '${branch}':`,
        `  ${rootUrl()}/${repo.fullName}/pulls/new/${path}`,
        '',
      )
  }
  return lines
}

/** The last lines of a push, which clients parse as the number of updated refs. */
function processed(count: number): string[] {
  const noun = `${count} reference${count === 1 ? '' : 's'}`
  return [`. Processing ${noun}`, `Processed ${noun} in total`]
}
