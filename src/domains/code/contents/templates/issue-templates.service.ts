import { LRUCache } from 'lru-cache'
import { branchRef, type Git, type GitRepo, type TreeEntry } from '../../../../core/git/index.ts'
import { type TaskPool, TaskError, type TaskKind } from '../../../../core/platform/isolation/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { DEFAULT_ISSUE_CONFIG, type IssueConfig } from '../contents.policy.ts'
import type { IssueTemplate, IssueFile, IssueFileContent } from './issue-files.task.ts'
import { unavailable } from '../../../../core/platform/errors.ts'

/** The repository to read from, and the requester that the work is counted for. */
interface Reading {
  readonly git: GitRepo
  readonly repo: Repo
  readonly rateLimitKey: string
}

/** Bytes of the files whose content is cached. */
const MAX_CACHED = 8 * 1024 * 1024
/** Milliseconds until a file that timed out is read again: the machine may have been busy. */
const RETRY_MS = 600_000
/** The size of a cache entry in bytes, without its content. */
const ENTRY_SIZE = 256

const TASK: TaskKind<IssueFile, IssueFileContent> = {
  url: new URL('issue-files.task.ts', import.meta.url).href,
  deadline: 2_000,
}

/** Reads a file by the id of its blob and fills in its text. Undefined if it is invalid or takes too long. */
type IssueFileReader = (reading: Reading, oid: string, file: IssueFile) => Promise<IssueFileContent>

/** Reads each file once and caches the result. */
function createIssueFileReader(taskPool: TaskPool): IssueFileReader {
  // NOTE: never stale, in any process: the content of a blob never changes.
  const contents = new LRUCache<string, { readonly content: IssueFileContent }>({ maxSize: MAX_CACHED })
  const running = new Map<string, Promise<IssueFileContent>>()

  return ({ git, repo, rateLimitKey }, oid, file) => {
    const key = `${repo.storage}:${oid}:${file.kind === 'template' ? `${file.folder}/${file.name}` : ''}`
    const found = contents.get(key)
    if (found) return Promise.resolve(found.content)
    const begin = async (): Promise<IssueFileContent> => {
      const text = (await git.objects.blob(oid)).toString('utf8')
      const content = await parse(taskPool, { ...file, text }, rateLimitKey)
      contents.set(key, { content }, { size: text.length + ENTRY_SIZE, ttl: content === undefined ? RETRY_MS : 0 })
      return content
    }
    const reading = running.get(key) ?? begin().finally(() => running.delete(key))
    running.set(key, reading)
    return reading
  }
}

async function parse(taskPool: TaskPool, file: IssueFile, rateLimitKey: string): Promise<IssueFileContent> {
  try {
    return await taskPool.run(TASK, file, rateLimitKey)
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    if (error.reason === 'ended' || error.reason === 'closing')
      throw unavailable('the issue templates could not be read, try again').causedBy(error)
    return undefined
  }
}

interface FoundTemplates {
  /** Sorted by folder in lookup order, then by name. */
  readonly templates: readonly IssueTemplate[]
  /** The number of invalid files, which were skipped. */
  readonly broken: number
}

interface FoundConfig {
  /** The defaults if there is no valid file. */
  readonly config: IssueConfig
  /** The error in the file; empty if it is valid. */
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
/**
 * Limits on the bytes of one file, the bytes of all templates of a commit, and their number; files beyond them are
 * invalid.
 */
const MAX_FILE = 64 * 1024
const MAX_TOTAL = 512 * 1024
const MAX_FILES = 100

export type IssueTemplates = ReturnType<typeof createIssueTemplates>

/**
 * Issue templates and settings, read from files of the default branch
 * (behaviour/base-interface#endpoints-named-in-later-revisions, behaviour/repositories#issue-templates-and-config).
 * `rateLimitKey` is the requester that the reading is counted for, see `rateLimitKeyOf`.
 */
export function createIssueTemplates({ git, taskPool }: { git: Git; taskPool: TaskPool }) {
  const read = createIssueFileReader(taskPool)

  async function readTemplates(reading: Reading, commit: string): Promise<FoundTemplates> {
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
    return { templates, broken }
  }

  async function readConfig(reading: Reading, commit: string): Promise<FoundConfig> {
    const { revisions, objects } = reading.git
    for (const path of CONFIGS) {
      const entry = await revisions.entryAt(commit, path)
      if (entry?.type !== 'blob' || !entry.mode.startsWith('100')) continue
      const { size } = await objects.info(entry.oid)
      const content = size <= MAX_FILE ? await read(reading, entry.oid, { kind: 'config', text: '' }) : undefined
      return typeof content === 'object'
        ? { config: content as IssueConfig, problem: '' }
        : { config: DEFAULT_ISSUE_CONFIG, problem: content ?? 'the file cannot be parsed' }
    }
    return NO_CONFIG
  }

  async function atTip<T>(
    { repo, rateLimitKey }: Omit<Reading, 'git'>,
    none: T,
    readAt: (reading: Reading, commit: string) => Promise<T>,
  ): Promise<T> {
    const opened = git.open(repo)
    const tip = (await opened.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
    return tip === undefined ? none : readAt({ git: opened, repo, rateLimitKey }, tip)
  }

  return {
    list: (repo: Repo, rateLimitKey: string): Promise<FoundTemplates> =>
      atTip({ repo, rateLimitKey }, NO_TEMPLATES, readTemplates),
    config: (repo: Repo, rateLimitKey: string): Promise<FoundConfig> =>
      atTip({ repo, rateLimitKey }, NO_CONFIG, readConfig),
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
