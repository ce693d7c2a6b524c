import { type GitRepo, isGitError, MODE, type TreeEntry } from '../../../../core/git/index.ts'

/** The first of these files counts (behaviour/pull-requests#code-owners). */
const PLACES = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS']
const MAX_FILE_BYTES = 256 * 1024

/** The text of the file in a commit; undefined if it has none, and for one of more than 256 KiB. */
export async function readCodeOwners(git: GitRepo, commit: string): Promise<string | undefined> {
  for (const path of PLACES) {
    const entry = await git.revisions.entryAt(commit, path)
    if (entry !== undefined && isFile(entry)) return readText(git, entry.oid)
  }
  return undefined
}

const isFile = ({ mode }: TreeEntry): boolean => mode === MODE.file || mode === MODE.executable

async function readText(git: GitRepo, oid: string): Promise<string | undefined> {
  try {
    return (await git.objects.blob(oid, MAX_FILE_BYTES)).toString()
  } catch (error) {
    if (isGitError(error, 'too-large')) return undefined
    throw error
  }
}
