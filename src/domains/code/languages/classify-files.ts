import {
  type AttributesFile,
  candidatesByName,
  compileAttributes,
  explicitLanguage,
  languageOf,
  mostLikely,
} from './classify.ts'
import type { LanguageRules } from './rules.ts'

export interface ClassifiedFile {
  readonly path: string
  /** The begin of its content. */
  readonly content: string
}

export interface FileClass {
  /** Vendored or generated. */
  readonly isForeign: boolean
  readonly language: string | undefined
}

/** Classifies each file by itself, by its name, the attributes and its content. */
export function classifyFiles(
  rules: LanguageRules,
  attributes: readonly AttributesFile[],
  files: readonly ClassifiedFile[],
): FileClass[] {
  const attributesOf = compileAttributes(attributes)
  return files.map(({ path, content }) => {
    const own = attributesOf(path)
    const isOwn = own.vendored === false || own.generated === false
    return {
      isForeign: own.vendored === true || own.generated === true || (!isOwn && rules.foreign.test(path)),
      language: explicitLanguage(rules, own) ?? languageAlone(rules, path, content),
    }
  })
}

function languageAlone(rules: LanguageRules, path: string, content: string): string | undefined {
  const candidates = candidatesByName(rules, path)
  if (candidates?.length === 1) return candidates[0]
  return (
    languageOf(rules, { path, candidates }, content) ??
    (candidates && mostLikely(rules, path, { candidates, evidence: new Map() }))
  )
}
