import type { Services } from '../../../core/module.ts'
import { branchRef, type ChangedFileList, type DiffSpan, type Git, type Whitespace } from '../../../core/git/index.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { CommitParts, CommitView } from '../../code/index.ts'
import type { Pull } from '../pulls/records/pull.store.ts'
import type { Repo } from '../../repositories/index.ts'

/** `binary`: a diff that includes the bytes of binary files. */
type PullTextKind = 'diff' | 'binary' | 'patch'

/** The merge base and the head, whose difference is the pull request. */
const spanOf = ({ mergeBase, headOid }: Pull): DiffSpan => ({ base: mergeBase, head: headOid })

export type PullDiffs = ReturnType<typeof createPullDiffs>

/**
 * The changes of a pull request, read from its base repository, which keeps the objects of the head
 * (behaviour/pull-requests#diff-commits-files-update).
 */
export function createPullDiffs({ git, views }: { readonly git: Git; readonly views: Services['commitViews'] }) {
  /** The commits to exclude; includes the merge base when the base branch was deleted. */
  async function baseOf(repo: Repo, { merge, baseBranch, mergeBase }: Pull): Promise<string> {
    if (merge !== undefined) return mergeBase
    return (await git.open(repo).refs.snapshot()).get(branchRef(baseBranch))?.oid ?? mergeBase
  }

  return {
    /** The diff, or the commits in mail format, as one text. Throws TooLarge when git prints too much. */
    text: (
      repo: Repo,
      pull: Pull,
      kind: PullTextKind,
      signal?: AbortSignal,
    ): Promise<Buffer | AsyncGenerator<Buffer, void, undefined>> =>
      git.open(repo).diffTexts.read(kind === 'patch' ? 'mails' : kind, spanOf(pull), signal),
    /** Throws TooLarge for more than some hundred thousand files. */
    files: (repo: Repo, pull: Pull, whitespace: Whitespace | undefined): Promise<ChangedFileList> =>
      git.open(repo).changedFiles.list(pull.mergeBase, pull.headOid, whitespace),
    /** The commits that the base branch lacks, or those that a merged pull request brought; newest first. */
    async commits(repo: Repo, pull: Pull, parts: CommitParts, paging: Paging): Promise<Page<CommitView>> {
      const opened = git.open(repo)
      const log = { tip: pull.headOid, not: [await baseOf(repo, pull)] }
      const [total, commits] = await Promise.all([
        opened.history.count(log),
        opened.history.list(log, { skip: paging.offset, limit: paging.limit }),
      ])
      return { items: await views.load(opened, commits, parts), total }
    },
  }
}
