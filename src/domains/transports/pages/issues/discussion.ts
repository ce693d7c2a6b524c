import type { Core, Services } from '../../../../core/module.ts'
import { Html, safeHtml } from '../../../../core/platform/html.ts'
import type { IssueInView, IssueModel } from '../../../issues/index.ts'
import { list, NOTHING, size, stepper, time, type PageContext, when, whole } from '../layout.ts'
import type { Texts } from '../texts.service.ts'
import { account, entriesOf, type Entry, entryLine, labelPart } from './entries.ts'
import type { Static } from '@sinclair/typebox'

export interface DiscussionDeps extends Pick<Core, 'site'> {
  readonly timeline: Pick<Services['timeline'], 'listWithReviews' | 'listIds'>
  readonly texts: Texts
}

/** Parts that a page shows above the text of entries of some kinds, such as the lines that a comment is about. */
export type EntryParts = (entries: readonly Entry[]) => Promise<ReadonlyMap<number, Html>>

type Shown = Static<typeof IssueModel>

/** The number of entries of the timeline on a page. */
const ROWS = 50
/**
 * Entries on other pages that have a link on the first page, so that the `#issuecomment-` of an address leads there.
 */
const MAX_LINKS = 2000

const TEXTS: ReadonlySet<string> = new Set(['comment', 'code', 'review', 'dismiss_review'])

/** The data of an issue as a list of terms. */
export function facts(
  context: PageContext,
  issue: Shown,
  more: readonly (readonly [term: string, value: Html])[] = [],
): Html {
  const { labels, milestone, assignees, projects } = issue
  const html = issue.html_url.split('/').slice(0, -2).join('/')
  const rows: readonly (readonly [string, Html | undefined])[] = [
    [
      'Author',
      safeHtml`${issue.original_author === '' ? account(context, issue.user) : issue.original_author}, ${time(issue.created_at)}`,
    ],
    ...more,
    ['Labels', labels.length === 0 ? undefined : joined(labels.map(labelPart), ' ')],
    ['Milestone', milestone ? safeHtml`<a href="${html}/milestone/${milestone.id}">${milestone.title}</a>` : undefined],
    [
      'Assignees',
      assignees
        ? joined(
            assignees.map((user) => account(context, user)),
            ', ',
          )
        : undefined,
    ],
    [
      'Projects',
      projects.length === 0
        ? undefined
        : joined(
            projects.map(({ html_url: url, title }) => safeHtml`<a href="${url}">${title}</a>`),
            ', ',
          ),
    ],
    ['Due', issue.due_date ? time(issue.due_date) : undefined],
    ['Discussion', issue.is_locked ? safeHtml`locked` : undefined],
  ]
  return safeHtml`<dl>${rows.map(([term, value]) => when(value, (part) => safeHtml`<dt>${term}</dt><dd>${part}</dd>\n`))}</dl>`
}

const joined = (parts: readonly Html[], separator: string): Html =>
  new Html(parts.map(({ text }) => text).join(separator))

/** A text of a user as HTML; a text without markup as it is. */
export const textPart = (source: string, html: string | undefined): Html =>
  html === undefined ? safeHtml`<pre class="log">${whole(source)}</pre>` : new Html(html)

interface Text extends Pick<Shown, 'assets' | 'body'> {
  readonly parts?: EntryParts
}

/** The text of an issue with its files, and a page of its timeline. */
export async function discussion(
  { site, timeline, texts }: DiscussionDeps,
  context: PageContext,
  target: IssueInView,
  { assets, body: source, parts }: Text,
): Promise<Html> {
  const { page, offset } = context.paging(ROWS)
  const found = await timeline.listWithReviews(context.viewer, target, { page, offset, limit: ROWS + 1 })
  const entries = entriesOf({ site }, context, target, { ...found, entries: found.entries.slice(0, ROWS) })
  const hasMore = found.entries.length > ROWS
  const place = { context: `/${target.repo.fullName}`, requester: context.requester }
  const written = entries.filter(({ entry }) => TEXTS.has(entry.kind) && entry.body !== '')
  const above = await parts?.(entries)
  const [body, ...rendered] = await texts.renderComments([source, ...written.map(({ entry }) => entry.body)], place)
  const htmlOf = new Map(written.map(({ entry }, index) => [entry.id, textPart(entry.body, rendered[index])]))
  const files = list(
    assets,
    ({ name, size: bytes, browser_download_url: url }) =>
      safeHtml`<a href="${url}">${name}</a> <small>${size(bytes)}</small>`,
    '',
  )
  return safeHtml`${page === 1 && source !== '' ? safeHtml`<article aria-label="Description">${textPart(source, body)}</article>` : NOTHING}
${assets.length === 0 ? NOTHING : safeHtml`<h2>Files</h2>\n${files}`}
<section aria-label="Timeline"><h2>Timeline</h2>
${entries.length === 0 ? safeHtml`<p class="note">No comments.</p>` : NOTHING}
${entries.map((item) => entryPart(item, context, target, { above, htmlOf }))}</section>
${stepper(context.paging(ROWS), hasMore)}
${page === 1 && hasMore ? await otherPages(timeline, context, target) : NOTHING}`
}

interface Parts {
  readonly above: ReadonlyMap<number, Html> | undefined
  readonly htmlOf: ReadonlyMap<number, Html>
}

function entryPart(item: Entry, context: PageContext, target: IssueInView, { above, htmlOf }: Parts): Html {
  const { id, kind } = item.entry
  const line = safeHtml`<small>${entryLine(item, context, target)}</small>`
  if (!TEXTS.has(kind)) return safeHtml`<p class="entry" id="issuecomment-${id}">${line}</p>\n`
  return safeHtml`<article id="issuecomment-${id}"><p>${line}</p>
${above?.get(id) ?? NOTHING}${htmlOf.get(id) ?? NOTHING}</article>\n`
}

/** Targets for addresses of entries on other pages: the part after `#` does not reach the server. */
async function otherPages(
  timeline: DiscussionDeps['timeline'],
  { viewer }: PageContext,
  target: IssueInView,
): Promise<Html> {
  const ids = (await timeline.listIds(viewer, target, ROWS + MAX_LINKS)).slice(ROWS)
  const links = ids.map((id, index) => {
    const page = Math.floor(index / ROWS) + 2
    return safeHtml`<a id="issuecomment-${id}" href="?page=${page}#issuecomment-${id}">${id}</a>\n`
  })
  return safeHtml`<nav aria-label="Entries on other pages"><details open><summary>Entries on other pages</summary>
<p><small>${links}</small></p></details></nav>`
}
