import type { Feed, Item } from 'feed'
import { escapeHtml, type Html } from '../../../core/platform/html.ts'

export type FeedFormat = 'rss' | 'atom'

/** Texts are plain, times epoch milliseconds. */
export interface FeedEntry {
  readonly title: string
  /** The address of a page. */
  readonly link: string
  /** An address that identifies the entry; by default its link. */
  readonly id?: string
  readonly author: string
  readonly at: number
  readonly content?: Html | undefined
}

export interface FeedContent {
  readonly title: string
  /** The address of the page that shows the same. */
  readonly link: string
  /** Newest first. */
  readonly entries: readonly FeedEntry[]
  /** The time of the feed as long as it has no entries. */
  readonly since: number
}

export const FEED_TYPES: Readonly<Record<FeedFormat, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
}

/** The document at `self`. The same content results in the same document. */
export async function writeFeed(format: FeedFormat, self: string, content: FeedContent): Promise<string> {
  const library = await import('feed')
  const { title, link, entries, since } = content
  const feed: Feed = new library.Feed({
    id: self,
    feed: self,
    title: clean(title),
    link,
    updated: dateOf(entries[0]?.at ?? since),
    generator: 'Ingot',
  })
  for (const entry of entries) feed.addItem(itemOf(entry))
  return format === 'atom' ? feed.atom1() : feed.rss2()
}

/**
 * NOTE: escaped here, because the library writes titles and contents as HTML and escapes only the first end of CDATA.
 */
function itemOf({ title, link, id, author, at, content }: FeedEntry): Item {
  return {
    title: escapeHtml(clean(title)),
    link,
    ...(id !== undefined && { id }),
    author: [{ name: clean(author) }],
    date: dateOf(at),
    ...(content !== undefined && content.text !== '' && { content: clean(content.text) }),
  }
}

/** Characters that XML 1.0 does not allow. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

const clean = (text: string): string => text.toWellFormed().replaceAll(FORBIDDEN, '')

/** The last second that RFC 3339 can name; git accepts later ones. */
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59)

const dateOf = (ms: number): Date => new Date(Math.min(Math.max(0, ms), LAST))
