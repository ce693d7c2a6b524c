/** A repository as SSH clients name it. */
export interface RepoPath {
  readonly owner: string
  readonly name: string
  /** The repository of the wiki beside it: `{name}.wiki`. */
  readonly isWiki: boolean
}

export type GitService = 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'

/** What a client asks for by `exec`. */
export type SshCommand =
  | { readonly kind: 'git'; readonly service: GitService; readonly path: RepoPath }
  | { readonly kind: 'lfs'; readonly path: RepoPath; readonly operation: 'upload' | 'download' }
  | { readonly kind: 'info' }
  /** Refused with these words. */
  | { readonly kind: 'wrong'; readonly text: string }

const SERVICES: readonly string[] = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'] satisfies GitService[]
const MAX_LENGTH = 4096

/** Reads `git-upload-pack '/owner/repo.git'` and its like. Nothing of it ever reaches a shell. */
export function parseCommandLine(line: string): SshCommand {
  const words = line.length > MAX_LENGTH ? undefined : splitWords(line)
  if (words === undefined) return wrong('Unknown git command')
  // `git upload-pack path` is the same as `git-upload-pack path`.
  const [verb = '', ...args] = words[0] === 'git' && words.length > 1 ? [`git-${words[1]}`, ...words.slice(2)] : words
  if (verb === 'ssh_info') return { kind: 'info' }
  const isLfs = verb === 'git-lfs-authenticate'
  if (!isLfs && !SERVICES.includes(verb)) return wrong('Unknown git command')
  if (args.length < (isLfs ? 2 : 1)) return wrong('Too few arguments')
  const path = parseRepoPath(args[0]!)
  if (path === undefined) return wrong('Invalid repository path')
  if (!isLfs) return { kind: 'git', service: verb as GitService, path }
  const operation = args[1]
  return operation === 'upload' || operation === 'download'
    ? { kind: 'lfs', path, operation }
    : wrong('Unknown LFS operation')
}

/** `owner/name` with or without a slash in front and `.git` behind; undefined for anything else. */
export function parseRepoPath(text: string): RepoPath | undefined {
  const match = /^\/?([^/\s]+)\/([^/\s]+?)\/?$/.exec(text)
  if (match === null) return undefined
  const base = match[2]!.replace(/\.git$/i, '')
  const name = base.replace(/\.wiki$/i, '')
  if (/^\.{0,2}$/.test(name) || /^\.{1,2}$/.test(match[1]!)) return undefined
  return { owner: match[1]!, name, isWiki: name !== base }
}

const wrong = (text: string): SshCommand => ({ kind: 'wrong', text })

/** A word and the space before it; a backslash at the end of the line stands for itself. */
const WORD = /\s*((?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\]|\\$)+)/gy
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g

/** Words as a shell would split them: single and double quotes, backslashes. Undefined when a quote stays open. */
function splitWords(line: string): string[] | undefined {
  const words: string[] = []
  let end = 0
  for (const match of line.matchAll(WORD)) {
    words.push(unquote(match[1]!))
    end = match.index + match[0].length
  }
  return line.slice(end).trim() === '' ? words : undefined
}

const unquote = (word: string): string =>
  word.replaceAll(
    QUOTED,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replaceAll(/\\([^])/g, '$1') ?? escaped ?? '',
  )
