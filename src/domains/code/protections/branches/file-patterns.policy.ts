import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { compileGlob, type Matcher } from '../../../../core/platform/patterns/glob.ts'
import type { FilePatterns, PushEvidence } from './branch-rules.policy.ts'

/** Longer paths are protected, and never unprotected: git cannot check them out, and matching them takes long. */
const MAX_PATH = 4096

/** Compares the files that a change touches with the patterns of a rule, with pauses: there may be many files. */
export async function compareFiles(
  { protectedFiles, unprotectedFiles }: FilePatterns,
  files: readonly string[],
): Promise<Pick<PushEvidence, 'protectedFile' | 'areAllUnprotected'>> {
  const [isProtected, isUnprotected] = [matcherOf(protectedFiles), matcherOf(unprotectedFiles)]
  const pause = createPauses()
  let areAllUnprotected = isUnprotected !== undefined && files.length > 0
  for (const path of files) {
    await pause()
    const isLong = path.length > MAX_PATH
    if (isProtected && (isLong || isProtected(path))) return { protectedFile: path, areAllUnprotected: false }
    areAllUnprotected &&= !isLong && isUnprotected!(path)
    if (!areAllUnprotected && isProtected === undefined) break
  }
  return { areAllUnprotected }
}

/**
 * COMPAT: paths are compared in lower case, and `*` stops at dots as well as at slashes
 * (behaviour/repositories#branch-protections; src/domains/code/protections/branches/file-patterns.policy.test.ts).
 */
function matcherOf(patterns: string): Matcher | undefined {
  const matchers = patterns
    .toLowerCase()
    .split(';')
    .map((pattern) => pattern.trim())
    .filter(Boolean)
    .map((pattern) => compileGlob(pattern, './'))
  if (matchers.length === 0) return undefined
  return (path) => {
    const lower = path.toLowerCase()
    return matchers.some((matches) => matches(lower))
  }
}
