import type { GitRepo } from '../../../../core/git/index.ts'
import { errors } from '../../../errors.ts'

/** A file of a commit that may be a workflow. */
export interface WorkflowFile {
  /** The file name without its folder, which identifies the workflow. */
  readonly name: string
  readonly path: string
  readonly oid: string
}

/** Only the first existing folder of a commit is used. */
const FOLDERS = ['.forgejo/workflows', '.gitea/workflows', '.github/workflows']
const MAX_FILES = 100
const MAX_FOLDERS = 20

/**
 * Sorted by path; of files with the same name, the one in the higher folder is used
 * (behaviour/actions#from-event-to-jobs).
 */
export async function listWorkflowFiles(git: GitRepo, commit: string): Promise<readonly WorkflowFile[]> {
  for (const folder of FOLDERS) {
    const entry = await git.revisions.entryAt(commit, folder)
    if (entry?.type !== 'tree') continue
    const files = await collect(git, folder, entry.oid)
    return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }
  return []
}

/** The file of this name. Throws Invalid when it is missing and the commit may have files that are not read. */
export function findNamed(files: readonly WorkflowFile[], name: string): WorkflowFile | undefined {
  const file = files.find((one) => one.name === name)
  if (file === undefined && files.length === MAX_FILES) throw errors.workflowBeyondLimit(name, MAX_FILES)
  return file
}

async function collect(git: GitRepo, folder: string, oid: string): Promise<readonly WorkflowFile[]> {
  const files = new Map<string, WorkflowFile>()
  const folders = [{ path: folder, oid }]
  for (let seen = 0; seen < folders.length && seen < MAX_FOLDERS; seen++) {
    const { path, oid: tree } = folders[seen]!
    for (const entry of await git.objects.tree(tree)) {
      const at = { path: `${path}/${entry.name}`, oid: entry.oid }
      if (entry.type === 'tree') folders.push(at)
      else if (entry.mode.startsWith('100') && /\.ya?ml$/.test(entry.name) && !files.has(entry.name))
        files.set(entry.name, { name: entry.name, ...at })
      if (files.size === MAX_FILES) return [...files.values()]
    }
  }
  return [...files.values()]
}
