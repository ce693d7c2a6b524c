import { compileAttributes, type AttributesFile, type LanguageAttributes } from './attributes.ts'
import type { LanguageRules } from './rules.ts'

export interface CountedFile {
  readonly path: string
  readonly size: number
}

/** Adds files up to bytes of languages; what the name does not tell is asked for with its content. */
export interface LanguageCounter {
  /** Gives the indexes of those whose content is needed. */
  addByName(files: readonly CountedFile[]): number[]
  addWithContent(file: CountedFile, content: string): void
  /** Largest first, then A-Z. */
  result(): Record<string, number>
}

export function createLanguageCounter(rules: LanguageRules, attributes: readonly AttributesFile[]): LanguageCounter {
  const totals = new Map<string, number>()
  const attributesOf = compileAttributes(attributes)

  function count(language: string | undefined, { size }: CountedFile, own: LanguageAttributes): void {
    const known = language === undefined ? undefined : rules.languages.get(language)
    if (known === undefined || !(own.detectable ?? known.isCounted)) return
    totals.set(known.group, (totals.get(known.group) ?? 0) + size)
  }

  return {
    addByName(files) {
      const open: number[] = []
      for (const [index, file] of files.entries()) {
        const own = attributesOf(file.path)
        if (file.size === 0 || isForeign(rules, file.path, own)) continue
        const told = own.language && rules.byAlias.get(own.language.toLowerCase().replaceAll('-', ' ')) || own.language && rules.byAlias.get(own.language.toLowerCase())
        const candidates = told ? [told] : candidatesByName(rules, file.path)
        if (candidates === undefined || candidates.length > 1) open.push(index)
        else count(candidates[0], file, own)
      }
      return open
    },
    addWithContent(file, content) {
      count(languageOf(rules, file.path, content), file, attributesOf(file.path))
    },
    result: () => Object.fromEntries([...totals].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
  }
}

function isForeign({ foreign }: LanguageRules, path: string, own: LanguageAttributes): boolean {
  if (own.vendored || own.generated || own.documentation) return true
  const isOwn = own.vendored === false || own.generated === false || own.documentation === false
  return !isOwn && own.detectable !== true && foreign.test(path)
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Undefined for a name without an extension, which only its first line can explain. */
function candidatesByName({ byName, byExtension }: LanguageRules, path: string): readonly string[] | undefined {
  const name = baseName(path)
  const named = byName.get(name)
  if (named) return named
  return name.includes('.', 1) ? (extensionsOf(name).map((extension) => byExtension.get(extension)).find((found) => found !== undefined) ?? []) : undefined
}

/** Longest first: `.blade.php` before `.php`. */
function extensionsOf(name: string): string[] {
  const parts = name.toLowerCase().split('.').slice(1)
  return parts.map((_, index) => `.${parts.slice(index).join('.')}`)
}

function languageOf(rules: LanguageRules, path: string, content: string): string | undefined {
  if (content.includes('\0')) return undefined
  const candidates = candidatesByName(rules, path)
  const interpreted = byFirstLine(rules, content)
  if (candidates === undefined) return interpreted[0]
  const both = candidates.filter((name) => interpreted.includes(name))
  if (both.length === 1) return both[0]
  for (const extension of extensionsOf(baseName(path))) {
    const heuristic = rules.heuristics.get(extension)?.find(({ language, matches }) => candidates.includes(language) && matches(content))
    if (heuristic) return heuristic.language
  }
  return candidates.find((name) => extensionsOf(baseName(path)).includes(rules.languages.get(name)?.mainExtension ?? ''))
}

/** `#!/usr/bin/env -S python3 -u` is python3, then python. */
function byFirstLine({ byInterpreter }: LanguageRules, content: string): readonly string[] {
  const line = /^#!\s*(\S+)([^\n]*)/.exec(content)
  if (!line) return []
  const words = line[2]!.trim().split(/\s+/)
  const program = baseName(line[1]!) === 'env' ? (words.find((word) => word !== '' && !word.startsWith('-') && !word.includes('=')) ?? '') : line[1]!
  const name = baseName(program)
  return byInterpreter.get(name) ?? byInterpreter.get(name.replace(/[\d.]+$/, '')) ?? []
}
