import { LRUCache } from 'lru-cache'
import type { Services } from '../../../core/module.ts'
import { ANONYMOUS } from '../../../core/access/viewer.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { isDomainError } from '../../../core/platform/errors.ts'

/** The requester of the work. */
export interface Requester {
  /** The result of `rateLimitKeyOf`. */
  readonly key: string
  /**
   * Consumes one unit of the computing budget of visitors without credentials, once for a request. Throws
   * too-many-requests.
   */
  spend(): void
}

interface SourceText {
  readonly text: string
  /** The markup is determined by its extension. */
  readonly name: string
  /** The base of relative links, like `Context` in the API. */
  readonly context: string
  readonly wiki?: boolean
  /** Line ends are line breaks, as in comments of issues. */
  readonly isComment?: boolean
  readonly requester: Requester
}

const MAX_BYTES = 16 * 1024 * 1024
const LIFETIME_MS = 600_000
/** How long a failure is cached: rendering takes longer while the server is busy. */
const REFUSED_MS = 60_000
/** A page shows the remaining texts without markup after this time. */
const MAX_PAGE_MS = 5000
/** A longer comment is shown without markup, truncated. */
const MAX_COMMENT = 64 * 1024
/** In these cases the text is shown without markup. */
const REFUSALS = ['too-large', 'too-many-requests', 'unavailable'] as const
/** Cached value for a text that cannot be rendered. */
const REFUSED = '\0'

/**
 * Names the boxes of tasks, and lets keyboards scroll wide parts. NOTE: no quotation marks, so that nothing ends a value
 * of an attribute that contains these texts.
 */
const forKeyboards = (html: string): string =>
  html.replaceAll(/<(?:pre|table)(?=[ >])/g, '$& tabindex=0').replaceAll('<input ', '<input aria-label=Task ')

/** Texts of repositories as HTML. */
export type Texts = ReturnType<typeof createTexts>

/**
 * Renders each text once for all viewers. The cache key is the hash of the whole input, so only mentions can become
 * stale, in this and other processes: for ten minutes after an account is created, renamed, hidden or deleted. Only
 * public accounts are linked.
 */
export function createTexts({
  markup,
  clock,
}: {
  readonly markup: Pick<Services['markup'], 'render'>
  readonly clock: Clock
}) {
  const rendered = new LRUCache<string, string>({
    maxSize: MAX_BYTES,
    ttl: LIFETIME_MS,
    sizeCalculation: (html) => html.length + 200,
  })
  const running = new Map<string, Promise<string>>()

  async function renderNow({
    text,
    name,
    context,
    wiki = false,
    isComment = false,
    requester,
  }: SourceText): Promise<string> {
    requester.spend()
    const request = {
      text,
      mode: isComment ? 'comment' : 'file',
      filePath: name,
      context,
      wiki,
      rateLimitKey: requester.key,
      viewer: ANONYMOUS,
    }
    try {
      return forKeyboards(await markup.render(request))
    } catch (error) {
      if (isDomainError(error, 'invalid')) return REFUSED
      throw error
    }
  }

  async function once(key: string, source: SourceText): Promise<string> {
    const known = rendered.get(key)
    if (known !== undefined) return known
    const made = running.get(key) ?? renderNow(source).finally(() => running.delete(key))
    running.set(key, made)
    const html = await made
    rendered.set(key, html, { ttl: html === REFUSED ? REFUSED_MS : LIFETIME_MS })
    return html
  }

  const texts = {
    /** Comments, or other short texts, as `render` returns them, one after the other. */
    async renderComments(
      comments: readonly string[],
      place: Pick<SourceText, 'context' | 'isComment' | 'requester'>,
    ): Promise<(string | undefined)[]> {
      const end = clock.now() + MAX_PAGE_MS
      const found: (string | undefined)[] = []
      for (const text of comments)
        found.push(
          text.length > MAX_COMMENT || clock.now() > end
            ? undefined
            : await texts.render({ text, name: 'comment.md', isComment: true, ...place }),
        )
      return found
    },
    /** Safe HTML; undefined for a text without markup, or one that cannot be rendered. */
    async render(source: SourceText): Promise<string | undefined> {
      const { text, name, context, wiki, isComment } = source
      const key = sha256Hex(JSON.stringify([text, name, context, wiki, isComment]))
      try {
        const html = await once(key, source)
        return html === REFUSED ? undefined : html
      } catch (error) {
        if (REFUSALS.some((kind) => isDomainError(error, kind))) return undefined
        throw error
      }
    },
  }
  return texts
}
