import { compileGlob, type Matcher } from '../../../core/platform/patterns/glob.ts'

/** The `linguist-*` attributes of a file; absent members are not set. */
export interface LanguageAttributes {
  readonly vendored?: boolean
  readonly generated?: boolean
  readonly documentation?: boolean
  readonly detectable?: boolean
  readonly language?: string
}

interface Line {
  readonly matches: Matcher
  readonly values: LanguageAttributes
}

/** A `.gitattributes` file: its directory, empty or with a slash at its end, and its text. */
export interface AttributesFile {
  readonly directory: string
  readonly text: string
}

const MAX_LINES = 1000
const KNOWN = new Set(['vendored', 'generated', 'documentation', 'detectable', 'language'])

/** Returns a function from path to attributes. Deeper files and later lines win, as in git. */
export function compileAttributes(files: readonly AttributesFile[]): (path: string) => LanguageAttributes {
  const lines = files
    .toSorted((a, b) => a.directory.length - b.directory.length)
    .flatMap(readLines)
    .slice(0, MAX_LINES)
  if (lines.length === 0) return () => ({})
  return (path) =>
    Object.assign({}, ...lines.filter((line) => line.matches(path)).map((line) => line.values)) as LanguageAttributes
}

function readLines({ directory, text }: AttributesFile): Line[] {
  return text.split('\n').flatMap((raw) => {
    const [pattern = '', ...words] = raw.trim().split(/\s+/)
    const values = Object.fromEntries(words.flatMap(readWord))
    return pattern === '' || pattern.startsWith('#') || Object.keys(values).length === 0
      ? []
      : [{ matches: compilePattern(pattern, directory), values }]
  })
}

function readWord(word: string): [string, boolean | string][] {
  const found = /^([-!]?)linguist-(\w+)(?:=(.*))?$/.exec(word)
  const name = found?.[2] ?? ''
  if (!found || !KNOWN.has(name) || found[1] === '!') return []
  if (name === 'language') return found[3] ? [[name, found[3]]] : []
  return [[name, found[1] !== '-' && found[3] !== 'false']]
}

/** A pattern without a slash, or with only a leading `**`, matches the file name in every directory below. */
export function compilePattern(pattern: string, directory: string): Matcher {
  const relative = pattern.replace(/^(?:\/?\*\*\/)+(?=[^/]+$)/, '')
  const matches = compileGlob(relative.replace(/^\//, ''), '/')
  const isName = !relative.replace(/\/$/, '').includes('/')
  return (path) =>
    path.startsWith(directory) && matches(isName ? path.slice(path.lastIndexOf('/') + 1) : path.slice(directory.length))
}
