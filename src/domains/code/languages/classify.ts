import { trimEndOf } from '../../../core/platform/trim.ts'
import type { LanguageRules } from './rules.ts'
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

export interface CountedFile {
  readonly path: string
  readonly size: number
}

export type LanguageCounter = ReturnType<typeof createLanguageCounter>

/** Sums the bytes of files by language. A file whose name is ambiguous is classified by its content. */
export function createLanguageCounter(rules: LanguageRules, attributes: readonly AttributesFile[]) {
  const totals = new Map<string, number>()
  const evidence = new Map<string, Map<string, number>>()
  const unclear: { readonly file: CountedFile; readonly candidates: readonly string[] }[] = []
  const attributesOf = compileAttributes(attributes)

  function count(language: string | undefined, { size }: CountedFile, own: LanguageAttributes): void {
    const properties = language === undefined ? undefined : rules.languages.get(language)
    if (properties === undefined || !(own.detectable ?? properties.isCounted)) return
    add(totals, properties.group, size)
  }

  return {
    /** Returns the indexes of the files whose content is needed. */
    addByName(files: readonly CountedFile[]): number[] {
      const open: number[] = []
      for (const [index, file] of files.entries()) {
        const own = attributesOf(file.path)
        if (file.size === 0 || isExcluded(rules, file.path, own)) continue
        const explicit = explicitLanguage(rules, own)
        const candidates = explicit ? [explicit] : candidatesByName(rules, file.path)
        if (candidates === undefined || candidates.length > 1) open.push(index)
        else count(candidates[0], file, own)
      }
      return open
    },
    /** Pass an empty content for a file that was not read. */
    addWithContent(file: CountedFile, content: string): void {
      const candidates = candidatesByName(rules, file.path)
      const language = languageOf(rules, { path: file.path, candidates }, content)
      if (language === undefined && candidates && !content.includes('\0')) unclear.push({ file, candidates })
      if (language !== undefined && candidates)
        add(entry(evidence, extensionsOf(file.path).at(-1) ?? ''), language, file.size)
      count(language, file, attributesOf(file.path))
    },
    /** Largest first, then A-Z. */
    result(): Record<string, number> {
      for (const { file, candidates } of unclear.splice(0))
        count(mostLikely(rules, file.path, { candidates, evidence }), file, attributesOf(file.path))
      return sorted(totals)
    },
  }
}

const add = (sums: Map<string, number>, key: string, size: number): unknown =>
  sums.set(key, (sums.get(key) ?? 0) + size)

function entry(evidence: Map<string, Map<string, number>>, extension: string): Map<string, number> {
  const found = evidence.get(extension) ?? new Map<string, number>()
  evidence.set(extension, found)
  return found
}

const sorted = (totals: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...totals].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)))

interface Unclear {
  readonly candidates: readonly string[]
  readonly evidence: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** The language of most other files with this extension, otherwise the language whose main extension it is. */
export function mostLikely(rules: LanguageRules, path: string, { candidates, evidence }: Unclear): string | undefined {
  const extensions = extensionsOf(path)
  const here = [...(evidence.get(extensions.at(-1) ?? '') ?? [])]
    .filter(([name]) => candidates.includes(name))
    .toSorted(([, x], [, y]) => y - x)
  return here[0]?.[0] ?? candidates.find((name) => extensions.includes(rules.languages.get(name)?.mainExtension ?? ''))
}

function isExcluded({ excluded }: LanguageRules, path: string, own: LanguageAttributes): boolean {
  if (own.vendored || own.generated || own.documentation) return true
  const isOwn = own.vendored === false || own.generated === false || own.documentation === false
  return !isOwn && own.detectable !== true && excluded.test(path)
}

/** The language that an attribute names. */
export function explicitLanguage(
  { byAlias }: LanguageRules,
  { language = '' }: LanguageAttributes,
): string | undefined {
  const wanted = language.toLowerCase()
  return byAlias.get(wanted) ?? byAlias.get(wanted.replaceAll('-', ' '))
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Undefined for a name without an extension: such a file is classified only by the first line of its content. */
export function candidatesByName({ byName, byExtension }: LanguageRules, path: string): readonly string[] | undefined {
  const name = baseName(path)
  const named = byName.get(name)
  if (named) return named
  return name.includes('.', 1)
    ? (extensionsOf(path)
        .map((extension) => byExtension.get(extension))
        .find((found) => found !== undefined) ?? [])
    : undefined
}

/** Longest first: `.blade.php` before `.php`. */
function extensionsOf(path: string): string[] {
  const parts = baseName(path).toLowerCase().split('.').slice(1)
  return parts.map((_, index) => `.${parts.slice(index).join('.')}`)
}

export function languageOf(
  rules: LanguageRules,
  { path, candidates }: { path: string; candidates: readonly string[] | undefined },
  content: string,
): string | undefined {
  if (content === '' || content.includes('\0')) return undefined
  const interpreted = byFirstLine(rules, content)
  if (candidates === undefined) return interpreted[0]
  const both = candidates.filter((name) => interpreted.includes(name))
  if (both.length === 1) return both[0]
  for (const extension of extensionsOf(path)) {
    const heuristic = rules.heuristics
      .get(extension)
      ?.find(({ language, matches }) => candidates.includes(language) && matches(content))
    if (heuristic) return heuristic.language
  }
  return undefined
}

/** `#!/usr/bin/env -S python3 -u` is python3, then python. */
function byFirstLine({ byInterpreter }: LanguageRules, content: string): readonly string[] {
  const line = /^#!\s*(\S+)([^\n]*)/.exec(content)
  if (!line) return []
  const words = line[2]!.trim().split(/\s+/)
  const program =
    baseName(line[1]!) === 'env'
      ? (words.find((word) => word !== '' && !word.startsWith('-') && !word.includes('=')) ?? '')
      : line[1]!
  const name = baseName(program)
  return byInterpreter.get(name) ?? byInterpreter.get(trimEndOf(name, '0123456789.')) ?? []
}
