import {
  applyChanges,
  type GitRepo,
  isSafePath,
  MODE,
  type ObjectWriter,
  PathConflictError,
  type TreeChange,
  type TreeEntry,
} from '../../../core/git/index.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'
import { compileGlob, isGlob } from '../../../core/platform/patterns/glob.ts'
import { createMatchBudget, MAX_PATTERN_LENGTH } from '../../../core/platform/patterns/match-budget.ts'
import { expandPath, expandVariables } from './template-variables.policy.ts'

const TEMPLATE_LISTS = ['.gitea/template', '.forgejo/template']
const MAX_FILE_BYTES = 1024 * 1024
/** NOTE: a few nested trees can name billions of files. */
const MAX_FILES = 100_000
/** Longer paths never match. */
const MAX_PATH = 4096
/** The maximum number of globs in a list; names without wildcards are not counted. */
const MAX_GLOBS = 1000
/** The maximum matching cost: enough for fifty usual globs and several thousand files. */
const MAX_MATCHING = 30_000_000

/**
 * Returns the id of the initial tree of a generated repository: expands variables in content and path of the listed
 * files, and deletes the list itself (behaviour/repositories#generating-from-a-template). Symlinks, submodules, large
 * and binary files are unchanged. Throws Invalid when two files would have the same path, and for too many files or
 * patterns. Objects are on disk after the writer's flush.
 */
export async function expandTemplate(
  git: GitRepo,
  writer: ObjectWriter,
  tree: string,
  variables: ReadonlyMap<string, string>,
): Promise<string> {
  const lists = []
  for (const path of TEMPLATE_LISTS) {
    const entry = await git.revisions.entryAt(tree, path)
    if (entry && isFile(entry)) lists.push({ path, text: await readSmall(git, entry.oid) })
  }
  if (lists.length === 0) return tree
  const isListed = listReader(lists.map((list) => list.text ?? '').join('\n'))
  const changes: TreeChange[] = lists.map(({ path }) => ({ path, delete: true }))
  const deleted = new Set(TEMPLATE_LISTS)
  let files = 0
  for await (const { path, entry } of walk(git, tree, '')) {
    if (++files > MAX_FILES) throw invalid('the template cannot be expanded: it has too many files')
    if (deleted.has(path) || !isFile(entry) || !(await isListed(path))) continue
    changes.push(...(await expandFile(git, writer, { path, entry, variables })))
  }
  try {
    return await applyChanges(writer, tree, changes)
  } catch (error) {
    throw error instanceof PathConflictError
      ? invalid(`the template cannot be expanded: ${error.path} is taken`)
      : error
  }
}

const isFile = ({ mode }: TreeEntry): boolean => mode === MODE.file || mode === MODE.executable

interface ListedFile {
  readonly path: string
  readonly entry: TreeEntry
  readonly variables: ReadonlyMap<string, string>
}

async function expandFile(
  git: GitRepo,
  writer: ObjectWriter,
  { path, entry, variables }: ListedFile,
): Promise<TreeChange[]> {
  const text = await readSmall(git, entry.oid)
  const expanded = text === undefined ? undefined : await expandVariables(text, variables)
  const wanted = expandPath(path, variables)
  const target = isSafePath(wanted) ? wanted : path
  const oid = expanded === undefined || expanded === text ? entry.oid : writer.blob(expanded)
  if (target === path) return oid === entry.oid ? [] : [{ path, mode: entry.mode, oid }]
  return [
    { path, delete: true },
    { path: target, mode: entry.mode, oid },
  ]
}

/** The content of a blob; undefined when it is too large or not UTF-8 text. */
async function readSmall(git: GitRepo, oid: string): Promise<string | undefined> {
  if ((await git.objects.info(oid)).size > MAX_FILE_BYTES) return undefined
  const content = await git.objects.blob(oid)
  const text = content.toString('utf8')
  return content.includes(0) || !Buffer.from(text, 'utf8').equals(content) ? undefined : text
}

/**
 * Returns a function that matches paths with one glob per line, with pauses; `#` starts a comment. Throws Invalid for
 * too many globs, and when matching takes too long.
 */
function listReader(text: string): (path: string) => Promise<boolean> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && line.length <= MAX_PATTERN_LENGTH)
    .map((line) => line.replace(/^\.?\//, ''))
  const names = new Set(lines.filter((line) => !isGlob(line)))
  const patterns = [...new Set(lines.filter(isGlob))]
  if (patterns.length > MAX_GLOBS) throw invalid(`the template cannot be expanded: it has more than ${MAX_GLOBS} globs`)
  const globs = patterns.map((pattern) => ({ pattern, matches: compileGlob(pattern, '/') }))
  const budget = createMatchBudget(MAX_MATCHING)
  const pause = createPauses()
  return async (path) => {
    if (names.has(path)) return true
    if (path.length > MAX_PATH) return false
    for (const { pattern, matches } of globs) {
      await pause()
      if (!budget.spend(pattern, path, true))
        throw invalid('the template cannot be expanded: it has too many files for its globs')
      if (matches(path)) return true
    }
    return false
  }
}

async function* walk(git: GitRepo, tree: string, prefix: string): AsyncGenerator<{ path: string; entry: TreeEntry }> {
  for (const entry of await git.objects.tree(tree)) {
    const path = prefix + entry.name
    if (entry.type === 'tree') yield* walk(git, entry.oid, `${path}/`)
    // NOTE: an entry whose name is not UTF-8 cannot be found by its text.
    else if (entry.rawName === undefined) yield { path, entry }
  }
}
