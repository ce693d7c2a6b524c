import { LRUCache } from 'lru-cache'
import { branchRef, type Git, type GitRepo, type TreeEntry } from '../../../git/index.ts'
import type { Repo } from '../../repos/index.ts'
import { DEFAULT_ISSUE_CONFIG, type IssueConfig, readIssueConfig } from './issue-config.policy.ts'
import { isGroup, type IssueFormField, isText, readFormFields } from './issue-form.policy.ts'

export interface IssueTemplate {
  readonly path: string
  readonly name: string
  readonly about: string
  readonly title: string
  readonly labels: readonly string[] | null
  readonly assignees: readonly string[] | null
  /** A full ref name; only `refs/heads/` when the template has none. */
  readonly ref: string
  /** Empty for forms. */
  readonly content: string
  /** Null for markdown. */
  readonly fields: readonly IssueFormField[] | null
}

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

/**
 * Issue templates and settings, read from files of the default branch
 * (behaviour/base-interface#endpoints-named-in-later-revisions, behaviour/repositories#issue-templates-and-config).
 */
export interface IssueTemplates {
  list(repo: Repo): Promise<FoundTemplates>
  config(repo: Repo): Promise<FoundConfig>
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
const MAX_FILE = 64 * 1024
const MAX_FILES = 100
const ABOUT_LENGTH = 80

export function createIssueTemplates({ git }: { git: Git }): IssueTemplates {
  const lists = new LRUCache<string, FoundTemplates>({ max: 200 })
  const configs = new LRUCache<string, FoundConfig>({ max: 200 })

  /** Caches by commit: the content of a commit never changes. */
  async function atTip<T extends object>(
    repo: Repo,
    cache: LRUCache<string, T>,
    none: T,
    read: (opened: GitRepo, commit: string) => Promise<T>,
  ): Promise<T> {
    const opened = git.open(repo)
    const tip = (await opened.refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid
    if (tip === undefined) return none
    const key = `${repo.storage}:${tip}`
    const found = cache.get(key) ?? (await read(opened, tip))
    cache.set(key, found)
    return found
  }

  return {
    list: (repo) => atTip(repo, lists, { templates: [], broken: 0 }, readTemplates),
    config: (repo) => atTip(repo, configs, { config: DEFAULT_ISSUE_CONFIG, problem: '' }, readConfig),
  }
}

async function readTemplates(git: GitRepo, commit: string): Promise<FoundTemplates> {
  const templates: IssueTemplate[] = []
  let broken = 0
  for (const folder of FOLDERS) {
    const tree = await git.revisions.entryAt(commit, folder)
    const files = tree?.type === 'tree' ? (await git.objects.tree(tree.oid)).filter(isTemplateFile) : []
    for (const { name, oid } of files.slice(0, MAX_FILES)) {
      const text = await readSmall(git, oid)
      const template = text === undefined ? undefined : await readTemplate(`${folder}/${name}`, name, text)
      if (template) templates.push(template)
      else broken++
    }
  }
  return { templates, broken }
}

const isTemplateFile = ({ name, mode }: TreeEntry): boolean =>
  mode.startsWith('100') && /\.(?:md|ya?ml)$/i.test(name) && !/^config\.[^.]+$/i.test(name)

async function readSmall(git: GitRepo, oid: string): Promise<string | undefined> {
  return (await git.objects.info(oid)).size > MAX_FILE ? undefined : (await git.objects.blob(oid)).toString('utf8')
}

async function readTemplate(path: string, name: string, text: string): Promise<IssueTemplate | undefined> {
  if (!/\.md$/i.test(name)) {
    const form = await parseYaml(text)
    const fields = isGroup(form) ? readFormFields(form['body']) : undefined
    return fields && fromHead(path, form as Record<string, unknown>, { content: '', fields })
  }
  const matter = /^---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)(.*)$/s.exec(text)
  const head = matter ? await parseYaml(matter[1]!) : undefined
  if (!matter || !isGroup(head))
    return {
      path,
      name,
      about: text.slice(0, ABOUT_LENGTH),
      title: '',
      labels: null,
      assignees: null,
      ref: 'refs/heads/',
      content: text,
      fields: null,
    }
  return fromHead(path, head, { content: matter[2]!, fields: null })
}

function fromHead(
  path: string,
  head: Readonly<Record<string, unknown>>,
  rest: Pick<IssueTemplate, 'content' | 'fields'>,
): IssueTemplate | undefined {
  const { name, about = head['description'], title = '', ref = '' } = head
  if (!isText(name) || !isText(about) || typeof title !== 'string' || typeof ref !== 'string') return undefined
  return {
    path,
    name,
    about,
    title,
    labels: readWords(head['labels']),
    assignees: readWords(head['assignees']),
    ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}`,
    ...rest,
  }
}

/** Reads a list, or words separated by commas. Null when there are none. */
function readWords(value: unknown): string[] | null {
  const words =
    typeof value === 'string'
      ? value.split(',')
      : Array.isArray(value)
        ? value.filter((word) => typeof word === 'string' || typeof word === 'number').map(String)
        : []
  const plain = words.map((word) => word.trim()).filter((word) => word !== '')
  return plain.length === 0 ? null : plain
}

async function readConfig(git: GitRepo, commit: string): Promise<FoundConfig> {
  for (const path of CONFIGS) {
    const entry = await git.revisions.entryAt(commit, path)
    if (entry?.type !== 'blob' || !entry.mode.startsWith('100')) continue
    const text = await readSmall(git, entry.oid)
    const parsed = text === undefined ? NO_YAML : await parseYaml(text)
    const config = parsed === NO_YAML ? 'the file cannot be parsed' : readIssueConfig(parsed)
    return typeof config === 'string' ? { config: DEFAULT_ISSUE_CONFIG, problem: config } : { config, problem: '' }
  }
  return { config: DEFAULT_ISSUE_CONFIG, problem: '' }
}

const NO_YAML = Symbol('no YAML')

async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text, { logLevel: 'error', maxAliasCount: 20 })
  } catch {
    return NO_YAML
  }
}
