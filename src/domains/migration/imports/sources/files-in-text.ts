import type { SourceAsset } from '../source.ts'

const MAX_FILES = 100

interface Addresses {
  /** Global; finds the end of an address. */
  readonly pattern: RegExp
  /** Optional prefixes of an address. */
  readonly prefixes: readonly string[]
  read(match: RegExpExecArray): { readonly url: string; readonly name: string }
}

/**
 * Files that a text links to, each under every address that it has in the text, longer addresses first, so that
 * replacing one does not break another.
 */
export function filesInText(text: string, { pattern, prefixes, read }: Addresses): readonly SourceAsset[] {
  const longestFirst = prefixes.toSorted((one, other) => other.length - one.length)
  const found = new Map<string, SourceAsset>()
  for (const match of text.matchAll(pattern)) {
    if (found.size >= MAX_FILES) break
    const prefix = longestFirst.find((each) => text.startsWith(each, match.index - each.length)) ?? ''
    const textUrl = `${prefix}${match[0]}`
    found.set(textUrl, { ...read(match), kind: 'file', downloads: 0, createdAt: undefined, textUrl })
  }
  return [...found.values()].toSorted((one, other) => other.textUrl!.length - one.textUrl!.length)
}
