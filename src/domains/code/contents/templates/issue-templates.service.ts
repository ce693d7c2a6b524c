import { LRUCache } from 'lru-cache'
import { branchRef, type Git, type GitRepo, type TreeEntry } from '../../../../core/git/index.ts'
import type { TaskPool } from '../../../../core/platform/isolation/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { DEFAULT_ISSUE_CONFIG, type IssueConfig } from '../contents.policy.ts'
import { createIssueFileReader, ENTRY_SIZE, MAX_CACHED, type Reading, RETRY_MS } from './issue-file-reader.ts'
import type { IssueTemplate } from './issue-files.task.ts'

interface FoundTemplates {
  /** Sorted by folder in the order of lookup, then by name. */
  readonly templates: readonly IssueTemplate[]
  /** Number of invalid files, which were skipped. */
  readonly broken: number
}

interface FoundConfig {
  /** The defaults when there is no valid file. */
  readonly config: IssueConfig
  /** The fault of the file; empty when it is valid. */
  readonly problem: string
}

const FOLDERS = [
  'ISSUE_TEMPLATE',
  'issue_template',
  ...['.forgejo', '.gitea', '.github', '.gitlab'].flatMap((top) => [`${top}/ISSUE_TEMPLATE`, `${top}/issue_template`]),
]
const CONFIGS = ['.forgejo', '.gitea', '.github'].flatMap((top) =>
  ['ISSUE_TEMPLATE', 'issue_template'].flatMap((folder) => [
    `${top}/${folder}/config.yaml`,
    `${top}/${folder}/config.yml`,
  ]),
)
/** Bytes of one file, of all templates of a commit, and the number of those; what is beyond counts as invalid. */
const MAX_FILE = 64 * 1024
const MAX_TOTAL = 512 * 1024
const MAX_FILES = 100

/** What a commit has, and the bytes of the files that were read for it. */
interface Sized<T> {
  readonly found: T
  readonly size: number
}

export type IssueTemplates = ReturnType<typeof createIssueTemplates>

/**
 * Issue templates and settings, read from files of the default branch
 * (behaviour/base-interface#endpoints-named-in-later-revisions, behaviour/repositories#issue-templates-and-config).
 * `caller` is whose work the reading is, see `callerKey`.
 */
export function createIssueTemplates({ git, taskPool }: { git: Git; taskPool: TaskPool }) {
  const read = createIssueFileReader(taskPool)
  // NOTE: never stale, in any process: the content of a commit never changes.
  const commits = new LRUCache<string, Sized<object>>({
    maxSize: MAX_CACHED,
    sizeCalculation: ({ size }) => size + ENTRY_SIZE,
    ttl: RETRY_MS,
  })

  async function readTemplates(reading: Reading, commit: string): Promise<Sized<FoundTemplates>> {
    const templates: IssueTemplate[] = []
    let [count, total, broken] = [0, 0, 0]
    for (const folder of FOLDERS) {
      for (const { name, oid } of await templateFiles(reading.git, commit, folder)) {
        const { size } = await reading.git.objects.info(oid)
        const isSmall = size <= MAX_FILE && total + size <= MAX_TOTAL && count < MAX_FILES
        const template = isSmall && (await read(reading, oid, { kind: 'template', folder, name, text: '' }))
        if (template) templates.push(template as IssueTemplate)
        else broken++
        count++
        if (isSmall) total += size
      }
    }
    return { found: { templates, broken }, size: total }
  }

  async function readConfig(reading: Reading, commit: string): Promise<Sized<FoundConfig>> {
    const { revisions, objects } = reading.git
    for (const path of CONFIGS) {
      const entry = await revisions.entryAt(commit, path)
      if (entry?.type !== 'blob' || !entry.mode.startsWith('100')) continue
      const { size } = await objects.info(entry.oid)
      const isSmall = size <= MAX_FILE
      const content = isSmall ? await read(reading, entry.oid, { kind: 'config', text: '' }) : undefined
      const found =
        typeof content === 'object'
          ? { config: content as IssueConfig, problem: '' }
          : { config: DEFAULT_ISSUE_CONFIG, problem: content ?? 'the file cannot be parsed' }
      return { found, size: isSmall ? size : 0 }
    }
    return { found: NO_CONFIG, size: 0 }
  }

  async function atTip<T extends object>(
    { repo, caller }: Omit<Reading, 'git'>,
    none: T,
    readAt: (reading: Reading, commit: string) => Promise<Sized<T>>,
  ): Promise<T> {
    const opened = git.open(repo)
    const tip = (await opened.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
    if (tip === undefined) return none
    const key = `${repo.storage}:${tip}:${readAt.name}`
    const known = commits.get(key) as Sized<T> | undefined
    if (known) return known.found
    const sized = await readAt({ git: opened, repo, caller }, tip)
    commits.set(key, sized)
    return sized.found
  }

  return {
    list: (repo: Repo, caller: string): Promise<FoundTemplates> => atTip({ repo, caller }, NO_TEMPLATES, readTemplates),
    config: (repo: Repo, caller: string): Promise<FoundConfig> => atTip({ repo, caller }, NO_CONFIG, readConfig),
  }
}

const NO_TEMPLATES: FoundTemplates = { templates: [], broken: 0 }
const NO_CONFIG: FoundConfig = { config: DEFAULT_ISSUE_CONFIG, problem: '' }

async function templateFiles(git: GitRepo, commit: string, folder: string): Promise<readonly TreeEntry[]> {
  const tree = await git.revisions.entryAt(commit, folder)
  if (tree?.type !== 'tree') return []
  return (await git.objects.tree(tree.oid)).filter(isTemplateFile).slice(0, MAX_FILES)
}

const isTemplateFile = ({ name, mode }: TreeEntry): boolean =>
  mode.startsWith('100') && /\.(?:md|ya?ml)$/i.test(name) && !/^config\.[^.]+$/i.test(name)
