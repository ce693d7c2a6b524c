import { readFileSync } from 'node:fs'
import { invalid } from '../../../core/platform/errors.ts'

type Texts = ReadonlyMap<string, string>

/** Texts by name, sorted by code point; read at the first use and cached. */
function textsOf(file: string): () => Texts {
  let texts: Texts | undefined
  return () => {
    if (texts) return texts
    const content = JSON.parse(readFileSync(new URL(`data/${file}`, import.meta.url), 'utf8')) as Record<string, string>
    return (texts = new Map(Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1))))
  }
}

/** Ignore files by name. */
export const gitignoreTemplates = textsOf('gitignores.json')

/** Licence texts by SPDX id, with placeholders such as `<year>` and `<copyright holders>`. */
export const licenseTemplates = textsOf('licenses.json')

/** One `.gitignore` of the named templates, a comma list. Throws invalid for an unknown name. */
export function renderGitignore(names: string): string {
  const parts = listOf(names).map((name) => `# ---> ${name}\n${get(gitignoreTemplates(), 'gitignore', name)}`)
  return parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('\n')
}

interface LicenseFacts {
  readonly year: number
  readonly owner: string
  readonly repo: string
}

/** NOTE: licences spell the same placeholder differently. */
const PLACEHOLDERS: readonly (readonly [RegExp, keyof LicenseFacts])[] = [
  [/<year>|\[year\]|\[yyyy\]|(?<=Copyright \(C\) )YEAR\b/gi, 'year'],
  [
    /<copyright holders?>|\[copyright holders?\]|<owner>|<owner organization name>|\[name of copyright (?:owner|holder)\]|<name of author>|(?<=Copyright \(C\) \S+ by )AUTHOR EMAIL/gi,
    'owner',
  ],
  [/<program>|\[software name\]/gi, 'repo'],
]

/** The text of a licence with its placeholders replaced. Throws invalid for an unknown name. */
export function renderLicense(name: string, facts: LicenseFacts): string {
  return PLACEHOLDERS.reduce(
    (text, [placeholder, fact]) => text.replaceAll(placeholder, () => String(facts[fact])),
    get(licenseTemplates(), 'license', name),
  )
}

const listOf = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

function get(texts: Texts, what: string, name: string): string {
  const text = texts.get(name)
  if (text === undefined) throw invalid(`${what} template "${name}" does not exist`)
  return text
}
