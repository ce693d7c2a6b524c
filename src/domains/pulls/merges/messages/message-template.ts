import { branchRef, type GitRepo, isGitError } from '../../../../core/git/index.ts'
import type { MergeAction } from '../merge-request.ts'

const FOLDERS = ['.gitea/default_merge_message', '.forgejo/default_merge_message']
const MAX_TEMPLATE = 64 * 1024

/** The template of a style in the default branch; undefined for none and for one that is not a small file. */
export async function readMessageTemplate(
  git: GitRepo,
  defaultBranch: string,
  action: MergeAction,
): Promise<string | undefined> {
  const tip = (await git.refs.snapshot()).get(branchRef(defaultBranch))?.oid
  if (tip === undefined) return undefined
  const { tree } = await git.objects.commit(tip)
  for (const folder of FOLDERS) {
    const oid = await findBlob(git, tree, `${folder}/${action.toUpperCase()}_TEMPLATE.md`)
    const content = oid && (await git.objects.blob(oid, MAX_TEMPLATE).catch(noneIfGitRefuses))
    if (content) return content.toString('utf8')
  }
  return undefined
}

async function findBlob(git: GitRepo, root: string, path: string): Promise<string | undefined> {
  let oid = root
  const parts = path.split('/')
  for (const [index, name] of parts.entries()) {
    const entry = (await git.objects.tree(oid)).find((candidate) => candidate.name === name)
    if (entry?.type !== (index === parts.length - 1 ? 'blob' : 'tree')) return undefined
    oid = entry.oid
  }
  return oid
}

function noneIfGitRefuses(error: unknown): undefined {
  if (!isGitError(error)) throw error
}
