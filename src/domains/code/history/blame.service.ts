import {
  type BlameHunk,
  type Commit,
  findCommitOid,
  type Git,
  type GitRepo,
  ignoringMissing,
  isGitError,
  MODE,
} from '../../../core/git/index.ts'
import { notFound, tooLarge } from '../../../core/platform/errors.ts'
import type { Repo } from '../../repositories/index.ts'
import { errors } from '../../errors.ts'
import type { CommitView, CommitViews } from './history.service.ts'

interface BlameRequest {
  /** A revision; the default branch if absent. */
  readonly ref: string | undefined
  readonly path: string
  readonly range: readonly [first: number, last: number] | undefined
}

export interface BlameView {
  /** The commit as of which the file was read. */
  readonly oid: string
  readonly hunks: readonly BlameHunk[]
  /** The commits of the hunks, each once. */
  readonly commits: readonly CommitView[]
  /** Commits of `.git-blame-ignore-revs` that were skipped. */
  readonly ignored: readonly string[]
}

const IGNORE_FILE = '.git-blame-ignore-revs'
/** Ids that are read from the file. */
const MAX_IGNORED = 1_000
/** Bytes of the file that are read. */
const MAX_IGNORE_FILE = 256 * 1024
const PARTS = { stat: false, files: false, verification: false }

export type Blaming = ReturnType<typeof createBlaming>

export function createBlaming({ git, views }: { git: Git; views: CommitViews }) {
  return {
    /**
     * The commit that last changed each line of a file. Commits that `.git-blame-ignore-revs` of the same revision
     * lists are skipped. Throws NotFound for a revision or file that does not exist, Invalid for lines that do not,
     * TooLarge for more than 10,000 hunks.
     */
    async ofFile(repo: Repo, { ref, path, range }: BlameRequest): Promise<BlameView> {
      const opened = git.open(repo)
      const oid = await findCommitOid(opened, ref || `refs/heads/${repo.defaultBranch}`)
      if (oid === undefined) throw errors.revisionNotFound(ref || repo.defaultBranch)
      const entry = await ignoringMissing(() => opened.revisions.entryAt(oid, path))
      if (entry === undefined || entry.mode === MODE.tree || entry.mode === MODE.submodule)
        throw notFound(`no such file: ${path}`)
      const ignored = await listIgnored(opened, oid)
      const hunks = await opened.blames.ofFile(oid, path, { range, ignored }).catch((error: unknown) => {
        throw isGitError(error, 'too-large') ? tooLarge('too many ranges: request fewer lines with lines=') : error
      })
      const oids = [...new Set(hunks.map(({ commit }) => commit))]
      const commits: Commit[] = []
      for (const id of oids) commits.push(await opened.objects.commit(id))
      return { oid, hunks, commits: await views.load(opened, commits, PARTS), ignored }
    },
  }
}

/** The commits that the file lists, one full id in a line; omits comments and ids that name no commit. */
async function listIgnored(git: GitRepo, oid: string): Promise<string[]> {
  const entry = await git.revisions.entryAt(oid, IGNORE_FILE)
  if (entry === undefined || entry.mode === MODE.tree) return []
  const { size } = await git.objects.info(entry.oid)
  if (size > MAX_IGNORE_FILE) return []
  const text = (await git.objects.blob(entry.oid)).toString('latin1')
  const listed = text.split('\n').flatMap((line) => /^\s*([0-9a-f]{40,64})\s*(?:#.*)?$/.exec(line)?.[1] ?? [])
  const found: string[] = []
  for (const id of [...new Set(listed)].slice(0, MAX_IGNORED))
    if (id.length === git.zeroOid.length && (await ignoringMissing(() => git.revisions.peel(id, 'commit'))) === id)
      found.push(id)
  return found
}
