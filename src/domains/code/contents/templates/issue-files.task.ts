import {
  readIssueConfig,
  type IssueConfig,
  isGroup,
  type IssueFormField,
  isText,
  readFormFields,
} from '../contents.policy.ts'
import { NO_YAML, parseYaml } from './yaml.ts'

export interface IssueTemplate {
  readonly path: string
  readonly name: string
  readonly about: string
  readonly title: string
  readonly labels: readonly string[] | null
  readonly assignees: readonly string[] | null
  /** A full ref name; `refs/heads/` if the template has none. */
  readonly ref: string
  /** Empty for forms. */
  readonly content: string
  /** Null for markdown. */
  readonly fields: readonly IssueFormField[] | null
}

/** A file with the path of its folder, or a settings file. */
export type IssueFile =
  | { readonly kind: 'template'; readonly folder: string; readonly name: string; readonly text: string }
  | { readonly kind: 'config'; readonly text: string }

/** The content of a file: a template, or undefined for an invalid one; settings, or their first error. */
export type IssueFileContent = IssueTemplate | undefined | IssueConfig | string

const ABOUT_LENGTH = 80

/** Reads files with YAML; runs in a child process. */
export const createTask =
  () =>
  (file: IssueFile): IssueFileContent =>
    file.kind === 'config' ? readConfig(file.text) : readTemplate(`${file.folder}/${file.name}`, file.name, file.text)

function readConfig(text: string): IssueConfig | string {
  const parsed = parseYaml(text)
  return parsed === NO_YAML ? 'the file cannot be parsed' : readIssueConfig(parsed)
}

function readTemplate(path: string, name: string, text: string): IssueTemplate | undefined {
  if (!/\.md$/i.test(name)) {
    const form = parseYaml(text)
    const fields = isGroup(form) ? readFormFields(form['body']) : undefined
    return fields && fromHead(path, form as Record<string, unknown>, { content: '', fields })
  }
  const matter = /^---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)(.*)$/s.exec(text)
  const head = matter ? parseYaml(matter[1]!) : undefined
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

/** Reads a list, or words separated by commas. Null if there are none. */
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
