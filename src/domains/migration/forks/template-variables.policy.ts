import { createPauses } from '../../../core/platform/concurrency/pauses.ts'
import { invalid } from '../../../core/platform/errors.ts'

/** The values of template variables (behaviour/repositories#generating-from-a-template). */
export interface TemplateFacts {
  readonly now: Date
  readonly repo: TemplateParty
  readonly template: TemplateParty
}

interface TemplateParty {
  readonly name: string
  readonly description: string
  readonly owner: string
  /** The path of the repository on the site, `/owner/name`. */
  readonly link: string
  readonly httpsUrl: string
  readonly sshUrl: string
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Each variable's value by its name. */
export function templateVariables({ now, repo, template }: TemplateFacts): ReadonlyMap<string, string> {
  const two = (value: number): string => String(value).padStart(2, '0')
  const month = MONTHS[now.getUTCMonth()]!
  return new Map([
    ['YEAR', String(now.getUTCFullYear())],
    ['MONTH', two(now.getUTCMonth() + 1)],
    ['DAY', two(now.getUTCDate())],
    ...inAllCases('MONTH_ENGLISH', month),
    ...party('REPO', repo),
    ...party('TEMPLATE', template),
  ])
}

function party(
  prefix: string,
  { name, description, owner, link, httpsUrl, sshUrl }: TemplateParty,
): [string, string][] {
  return [
    ...inAllCases(`${prefix}_NAME`, name),
    [`${prefix}_DESCRIPTION`, description],
    ...inAllCases(`${prefix}_OWNER`, owner),
    [`${prefix}_LINK`, link],
    [`${prefix}_HTTPS_URL`, httpsUrl],
    [`${prefix}_SSH_URL`, sshUrl],
  ]
}

function inAllCases(name: string, value: string): [string, string][] {
  const words = wordsOf(value)
  const pascal = words.map(capitalised).join('')
  return [
    [name, value],
    [`${name}_SNAKE`, words.join('_').toLowerCase()],
    [`${name}_KEBAB`, words.join('-').toLowerCase()],
    [`${name}_CAMEL`, pascal.charAt(0).toLowerCase() + pascal.slice(1)],
    [`${name}_PASCAL`, pascal],
    [`${name}_LOWER`, value.toLowerCase()],
    [`${name}_UPPER`, value.toUpperCase()],
    [`${name}_TITLE`, value.replaceAll(/[^\s\-_.]+/g, (word) => capitalised(word))],
  ]
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `HTTPServer-two_3` is HTTP, Server, two, 3. */
const wordsOf = (text: string): string[] => text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\p{ASCII}]+/gu) ?? []

/** The maximum number of characters that variables may add to a text. */
const MAX_GROWTH = 2 * 1024 * 1024

const VARIABLE = /\$(?:\$|\{([^{}\n]*)\}|([A-Za-z_]\w*))/g

/**
 * Expands `$NAME` and `${NAME}`; an unknown name is replaced by the name itself, `$$` by a dollar sign. Pauses, because
 * a text of 1 MiB may contain half a million of them. Throws Invalid when the text grows too much: a description may
 * have several thousand characters.
 */
export async function expandVariables(text: string, variables: ReadonlyMap<string, string>): Promise<string> {
  const pause = createPauses()
  const parts: string[] = []
  for (const part of expansion(text, variables)) {
    await pause()
    parts.push(part)
  }
  return parts.join('')
}

function* expansion(text: string, variables: ReadonlyMap<string, string>): Generator<string, void, undefined> {
  let [at, growth] = [0, 0]
  for (const { 0: whole, 1: braced, 2: plain, index } of text.matchAll(VARIABLE)) {
    const name = braced ?? plain ?? ''
    const value = whole === '$$' ? '$' : (variables.get(name) ?? name)
    growth += value.length - whole.length
    if (growth > MAX_GROWTH) throw invalid('the template cannot be expanded: a file becomes too large')
    yield text.slice(at, index)
    yield value
    at = index + whole.length
  }
  yield text.slice(at)
}

const MAX_SEGMENT = 200

/** A path with its variables expanded, without parts that leave the tree or are special to a file system. */
export function expandPath(path: string, variables: ReadonlyMap<string, string>): string {
  return [...expansion(path, variables)]
    .join('')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map(safeSegment)
    .join('/')
}

// oxlint-disable-next-line no-control-regex
const RESERVED = /[<>:"\\|?*\x00-\x1f]/g

function safeSegment(segment: string): string {
  const plain = segment.replaceAll(RESERVED, '_').slice(0, MAX_SEGMENT)
  if (plain.startsWith('..')) return `__${plain.slice(2)}`
  return /^\.git$/i.test(plain) ? `_${plain.slice(1)}` : plain
}
