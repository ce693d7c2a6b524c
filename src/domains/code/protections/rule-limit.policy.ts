import { invalid, oversize } from '../../../core/platform/errors.ts'

/** NOTE: every pushed ref is compared with all rules of its repository. */
const MAX_RULES = 100
/** Characters of all patterns together. NOTE: all rules of a repository are read at once. */
const MAX_CONTEXTS = 20_000

/** Throws Invalid when a repository with this many rules gets no further one. */
export function requireRoom(kind: 'branch' | 'tag', present: number): void {
  if (present >= MAX_RULES) throw invalid(`a repository has at most ${MAX_RULES} ${kind} protections`)
}

/** Throws Invalid for longer patterns of required checks than a rule may have. */
export function requireShortContexts(contexts: readonly string[] = []): void {
  if (contexts.join('').length > MAX_CONTEXTS) throw oversize('StatusCheckContexts', MAX_CONTEXTS, 'characters')
}
