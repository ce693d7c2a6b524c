import { invalid } from '../../../core/platform/errors.ts'
import { readFileSync } from 'node:fs'

/** A label of a set for new repositories; `color` is six lower-case hexadecimal digits. */
interface LabelOfSet {
  readonly name: string
  readonly color: string
  readonly description: string
  /** An issue has at most one label of the scope, which is the part before the slash. */
  readonly exclusive: boolean
}

const free = (name: string, color: string, description: string): LabelOfSet => ({
  name,
  color,
  description,
  exclusive: false,
})
const scoped = (name: string, color: string, description: string): LabelOfSet => ({
  name,
  color,
  description,
  exclusive: true,
})

/** Label sets by name, sorted (behaviour/users-and-admin#miscellaneous-endpoints). */
export const LABEL_SETS: ReadonlyMap<string, readonly LabelOfSet[]> = new Map([
  [
    'Advanced',
    [
      free('Kind/Bug', 'ee0701', 'Something is not working'),
      free('Kind/Feature', '0288d1', 'New functionality'),
      free('Kind/Enhancement', '84b6eb', 'Improve existing functionality'),
      free('Kind/Security', '9c27b0', 'This is a security issue'),
      free('Kind/Testing', '795548', 'Issue or pull request related to testing'),
      free('Kind/Documentation', '37474f', 'Documentation changes'),
      free('Compat/Breaking', 'c62828', 'Breaking change that is not backward compatible'),
      scoped('Reviewed/Duplicate', '616161', 'This issue or pull request already exists'),
      scoped('Reviewed/Invalid', '546e7a', 'Invalid issue'),
      scoped('Reviewed/Confirmed', '795548', 'Issue has been confirmed'),
      scoped("Reviewed/Won't Fix", 'eeeeee', "This issue won't be fixed"),
      scoped('Status/Need More Info', '424242', 'Feedback is required to reproduce the issue or to continue the work'),
      scoped('Status/Blocked', '880e4f', 'Something is blocking this issue or pull request'),
      scoped('Status/Abandoned', '222222', 'Somebody has started to work on this but abandoned it'),
      scoped('Priority/Critical', 'b71c1c', 'The priority is critical'),
      scoped('Priority/High', 'd32f2f', 'The priority is high'),
      scoped('Priority/Medium', 'e64a19', 'The priority is medium'),
      scoped('Priority/Low', '4caf50', 'The priority is low'),
    ],
  ],
  [
    'Default',
    [
      free('bug', 'ee0701', 'Something is not working'),
      free('duplicate', 'cccccc', 'This issue or pull request already exists'),
      free('enhancement', '84b6eb', 'New feature'),
      free('help wanted', '128a0c', 'Need some help'),
      free('invalid', 'e6e6e6', 'Something is wrong'),
      free('question', 'cc317c', 'More information is needed'),
      free('wontfix', 'ffffff', "This won't be fixed"),
    ],
  ],
])

/** The labels of a set. Throws Invalid for an unknown one. */
export function labelsOfSet(name: string): readonly LabelOfSet[] {
  const set = LABEL_SETS.get(name)
  if (set === undefined)
    throw invalid(`failed to load label template file "${name}": label template "${name}" not found`)
  return set
}

type Texts = ReadonlyMap<string, string>

/** Texts by name, sorted by code point; read on first use and cached. */
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

/** A `.gitignore` of the named templates, separated by commas. Throws Invalid for an unknown name. */
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

/** The text of a licence with its placeholders replaced. Throws Invalid for an unknown name. */
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

/** Templates that come with the server. */
export const builtInTemplates = {
  labelsOfSet,
  licenses: licenseTemplates,
} as const
