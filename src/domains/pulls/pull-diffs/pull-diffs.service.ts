import type { Services } from '../../../core/module.ts'
import {
  branchRef,
  type ChangedFile,
  type ChangedFileList,
  type DiffSpan,
  type Git,
  type Whitespace,
} from '../../../core/git/index.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import type { CommitParts, CommitView } from '../../code/index.ts'
import type { Pull } from '../pulls/records/pull.store.ts'
import type { Repo } from '../../repositories/index.ts'

/** `binary`: a diff that includes the bytes of binary files. */
type PullTextKind = 'diff' | 'binary' | 'patch'

/** The merge base and the head, whose difference is the pull request. */
const spanOf = ({ mergeBase, headOid }: Pull): DiffSpan => ({ base: mergeBase, head: headOid })

interface DiffPage {
  readonly files: readonly ChangedFile[]
  /** The number of all files. */
  readonly total: number
  readonly patch: Buffer
  /** Whether the patch is only the start of the diff of these files. */
  readonly isCut: boolean
}

const MAX_PATCH = 512 * 1024

/** Reads no more than `MAX_PATCH` bytes, of whole lines. */
async function readStart(stream: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Pick<DiffPage, 'patch' | 'isCut'>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_PATCH) break
  }
  const text = Buffer.concat(chunks)
  if (size <= MAX_PATCH) return { patch: text, isCut: false }
  return { patch: text.subarray(0, text.lastIndexOf('\n', MAX_PATCH - 1) + 1), isCut: true }
}

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
    /** A page of the files, with the diff of these files; of a long diff only the start. Throws TooLarge as `files`. */
    async page(repo: Repo, pull: Pull, paging: Paging): Promise<DiffPage> {
      const { changedFiles, diffs, diffTexts } = git.open(repo)
      const { base, head } = spanOf(pull)
      const list = await changedFiles.list(base, head)
      const files = [...list.from(paging.offset).take(paging.limit)]
      const paths = files.flatMap(({ path, previousPath }) => [
        path,
        ...(previousPath === undefined ? [] : [previousPath]),
      ])
      const text =
        files.length === list.total ? await diffTexts.read('diff', { base, head }) : diffs.patch(base, head, { paths })
      return { files, total: list.total, ...(await readStart(Buffer.isBuffer(text) ? [text] : text)) }
    },
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
