import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { branchRef, findCommitOid, findTarget } from '../../../../core/git/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { loadPayloadCommits } from './payload-commits.ts'
import { messageOf } from '../hook.present.ts'
import type { HookMessage } from './payload.ts'
import type { PushBuilderDeps } from './pushes.ts'

interface TestPush {
  /** 0 for the owner. */
  readonly actorId: number
  /** A branch, a tag or a commit; the default branch where absent or empty. */
  readonly ref: string | undefined
}

/**
 * The message that tries a webhook out: a push of the head of the ref, which does not move. Undefined when the ref does
 * not exist, as in an empty repository (behaviour/orgs-webhooks-actions#webhooks).
 */
export async function buildTestPush(
  deps: PushBuilderDeps,
  repo: Repo,
  { actorId, ref: given }: TestPush,
): Promise<HookMessage | undefined> {
  const git = deps.git.open(repo)
  const oid = await (given?.startsWith('refs/')
    ? findCommitOid(git, given)
    : findTarget(git, repo, given).then((target) => target?.commit))
  if (oid === undefined) return undefined
  const parts = { files: false, verification: true }
  const [head] = await loadPayloadCommits(deps, repo, [await git.objects.commit(oid)], parts)
  const { repository, sender } = await deps.facts.of(repo, actorId, 'none')
  const ref = given || branchRef(repo.defaultBranch)
  const payload = {
    ref,
    before: oid,
    after: oid,
    compare_url: `${repoUrls(repo, deps.site).html}/compare/${oid}...${oid}`,
    commits: [head!],
    total_commits: 1,
    head_commit: head!,
    repository,
    pusher: sender,
    sender,
  }
  return messageOf('push', payload, ref.startsWith('refs/') ? ref : branchRef(ref))
}
