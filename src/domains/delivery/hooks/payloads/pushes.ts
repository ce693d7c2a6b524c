import { escapePath, repoUrls } from '../../../../core/access/repo-urls.ts'
import { branchRef, type Commit, isZeroOid, tagRef } from '../../../../core/git/index.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { PayloadCommit } from '../../../code/index.ts'
import type { Repo, Repository } from '../../../repositories/index.ts'
import type { EventFacts, EventFactsLoader } from './event-facts.ts'
import {
  loadPayloadCommits,
  type PathBudget,
  type PayloadCommitDeps,
  startPathBudget,
  listPushedCommits,
  NO_COMMITS,
  type PushedCommits,
  type RefUpdate,
} from './payload-commits.ts'
import { messageOf } from '../hook.present.ts'
import type { HookMessage, MessageBuilders } from './payload.ts'

export interface PushBuilderDeps extends PayloadCommitDeps {
  readonly facts: EventFactsLoader
}

/** The maximum number of refs of one push for which messages are sent. */
const MAX_REFS = 200
const BRANCH = branchRef('')
const TAG = tagRef('')

interface PushFacts extends EventFacts {
  /** The repository as shown in events of creation. */
  readonly created: Repository
  /** Shared by the messages of all refs of the push. */
  readonly budget: PathBudget
}

/**
 * The messages of a push, ref by ref: `create` and `push` for a new branch, `push` and `create` for a new tag, `delete`
 * for a deleted branch, `push` and `delete` for a deleted tag (behaviour/orgs-webhooks-actions#payloads). The commit of
 * a merge queue is sent as a `push` of its ref, so that it is tested like commits of branches
 * (behaviour/pull-requests#merge-queue).
 */
export function pushBuilders(deps: PushBuilderDeps): MessageBuilders {
  return {
    async 'repo.pushed'(event) {
      const updates = event.payload.updates
        .filter(({ ref }) => ref.startsWith(BRANCH) || ref.startsWith(TAG))
        .slice(0, MAX_REFS)
      const found = updates.length === 0 ? undefined : await deps.facts.load(event, 'all')
      if (found === undefined) return []
      const { repository: created } = await deps.facts.of(found.repo, event.actorId, 'none')
      const facts = { ...found, created, budget: startPathBudget() }
      const messages: HookMessage[] = []
      for (const [position, update] of updates.entries()) {
        const later = new Set(
          updates.slice(position + 1).flatMap(({ ref, old_oid: old }) => (isZeroOid(old) ? ref : [])),
        )
        messages.push(...(await describeUpdate(deps, facts, update, later)))
      }
      return messages
    },
    async 'merge_queue.built'(event) {
      const { ref, base_oid: old_oid, oid: new_oid } = event.payload
      const found = await deps.facts.load(event, 'all')
      if (found === undefined) return []
      const update = { ref, old_oid, new_oid }
      const pushed = await listCommits(deps, found, update, new Set())
      return [await presentPush(deps, { ...found, budget: startPathBudget() }, update, pushed)]
    },
  }
}

async function describeUpdate(
  deps: PushBuilderDeps,
  facts: PushFacts,
  update: RefUpdate,
  later: ReadonlySet<string>,
): Promise<HookMessage[]> {
  const isBranch = update.ref.startsWith(BRANCH)
  const isDeleted = isZeroOid(update.new_oid)
  if (isBranch && isDeleted) return [deletion(facts, update)]
  const pushed = await listCommits(deps, facts, update, later)
  const push = await presentPush(deps, facts, update, pushed)
  if (isDeleted) return [push, deletion(facts, update)]
  if (!isZeroOid(update.old_oid)) return [push]
  const creation = messageOf(
    'create',
    {
      sha: pushed.head?.oid ?? update.new_oid,
      ref: shortName(update.ref),
      ref_type: isBranch ? 'branch' : 'tag',
      repository: facts.created,
      sender: facts.sender,
    },
    update.ref,
  )
  return isBranch ? [creation, push] : [push, creation]
}

/** Empty for a repository that was deleted after the event. */
const listCommits = async (
  { git }: PushBuilderDeps,
  { repo, isDeleted }: EventFacts,
  update: RefUpdate,
  later: ReadonlySet<string>,
): Promise<PushedCommits> => (isDeleted ? NO_COMMITS : listPushedCommits(git.open(repo), repo, update, later))

const shortName = (ref: string): string => ref.slice((ref.startsWith(BRANCH) ? BRANCH : TAG).length)

const deletion = ({ repository, sender }: Pick<EventFacts, 'repository' | 'sender'>, { ref }: RefUpdate): HookMessage =>
  messageOf(
    'delete',
    {
      ref: shortName(ref),
      ref_type: ref.startsWith(BRANCH) ? 'branch' : 'tag',
      pusher_type: 'user',
      repository,
      sender,
    },
    ref,
  )

async function presentPush(
  deps: PushBuilderDeps,
  { repo, repository, sender, budget }: Omit<EventFacts, 'isDeleted'> & Pick<PushFacts, 'budget'>,
  { ref, old_oid: before, new_oid: after }: RefUpdate,
  { commits, total, head }: PushedCommits,
): Promise<HookMessage> {
  const listed = head === undefined || commits[0]?.oid === head.oid ? commits : [...commits, head]
  const shown = await presentCommits(deps, repo, { commits: listed, budget })
  const payload = {
    ref,
    before,
    after,
    compare_url: compareUrl(repo, { ref, before, after }, deps.site),
    commits: commits.map(({ oid }) => shown.get(oid)!),
    total_commits: total,
    head_commit: (head && shown.get(head.oid)) ?? null,
    repository,
    pusher: sender,
    sender,
  }
  return messageOf('push', payload, ref)
}

async function presentCommits(
  deps: PushBuilderDeps,
  repo: Repo,
  { commits, budget }: { readonly commits: readonly Commit[]; readonly budget: PathBudget },
): Promise<ReadonlyMap<string, PayloadCommit>> {
  const shown = await loadPayloadCommits(deps, repo, commits, { files: true, verification: false, budget })
  return new Map(shown.map((commit) => [commit.id, commit]))
}

interface Move {
  readonly ref: string
  readonly before: string
  readonly after: string
}

/**
 * For tags, deletions, and the first branch, which cannot be compared with anything, this is the address of the server.
 */
function compareUrl(repo: Repo, { ref, before, after }: Move, site: Site): string {
  const isFirst = isZeroOid(before) && ref === branchRef(repo.defaultBranch)
  if (!ref.startsWith(BRANCH) || isZeroOid(after) || isFirst) return `${site.rootUrl()}/`
  const base = isZeroOid(before) ? escapePath(repo.defaultBranch) : before
  return `${repoUrls(repo, site).html}/compare/${base}...${after}`
}
