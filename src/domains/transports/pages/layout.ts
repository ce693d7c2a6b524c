import { createHash } from 'node:crypto'
import type { Services } from '../../../core/module.ts'
import { Html, safeHtml } from '../../../core/platform/html.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { webPages } from '../../accounts/index.ts'
import type { RepoNeed } from '../../../core/access/authorize.ts'
import { escapePath } from '../../../core/access/repo-urls.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import { MovedError } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type RepoInView, accessQueries } from '../../repositories/index.ts'
import type { Requester } from './texts.service.ts'
import { wireTime } from '../../../core/platform/clock.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 64rem; overflow-wrap: anywhere; padding: 1rem }
header nav, .tabs { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
header { border-bottom: 1px solid #8886; padding-bottom: .5rem }
h1 { font-size: 1.5rem }
h2 { font-size: 1.2rem; margin-top: 2rem }
ul.list { list-style: none; padding: 0 }
ul.list > li { border-top: 1px solid #8884; padding: .4rem 0 }
code, pre { font: .9rem/1.45 ui-monospace, monospace }
pre { background: #8881; overflow-x: auto; padding: .75rem }
table { border-collapse: collapse; display: block; overflow-wrap: normal; overflow-x: auto }
td, th { border: 1px solid #8884; padding: .25rem .6rem; text-align: left }
article { border: 1px solid #8884; padding: 0 1rem 1rem }
blockquote { border-left: .25rem solid #8886; margin-left: 0; padding-left: 1rem }
article article { margin: 1rem 0 }
article, .entry { margin: 1rem 0 }
:target { outline: 2px solid #4090f0 }
:focus-visible { outline: 2px solid; outline-offset: 2px }
.skip:not(:focus) { left: -99rem; position: absolute }
.label { border: 1px solid #8888; border-radius: 1em; padding: 0 .6em }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: max-content 1fr }
dd { margin: 0 }
pre ins, pre del { text-decoration: none }
pre ins { background: #2a03 }
pre del { background: #d003 }
.log { white-space: pre-wrap }
img, video { max-width: 100% }
svg { height: 1em; width: 1em }
small, .note { opacity: .85 }
`
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

/** No scripts, forms and frames; images in texts may come from any HTTPS address. */
export const POLICY = `default-src 'none'; style-src ${STYLE_HASH}; img-src 'self' https:; media-src 'self' https:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`

export interface Content {
  readonly title: string
  /** The path of the Atom feed of the object that the page shows. */
  readonly feed?: string
  readonly body: Html
}

/** The parts of a request that every page shows. */
export interface PageRequest {
  readonly viewer: Viewer
  /** The path and query of the request. */
  readonly url: string
  /** The path of the root URL, without a trailing slash. */
  readonly base: string
  rootUrl(): string
}

/** A whole page: the common links, and the content. */
export function layout({ title, body, feed }: Content, request: PageRequest): string {
  const { viewer, base, url } = request
  const account =
    viewer.kind === 'anonymous'
      ? safeHtml`<a href="${webPages.signInPath(request, url)}">Sign in</a>`
      : safeHtml`<a href="${base}/${viewer.account.name}">${viewer.account.name}</a> <a href="${base}${webPages.home}">Account</a>`
  return safeHtml`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>${when(feed, (path) => safeHtml`<link rel="alternate" type="application/atom+xml" href="${path}">`)}<style>${new Html(STYLE)}</style></head>
<body><a class="skip" href="#content">Skip to the content</a>
<header><nav aria-label="Site"><a href="${base}/">Ingot</a> ${account}</nav></header>
<main id="content">
${body}
</main></body>
</html>
`.text
}

/** A request for a page. */
export interface PageContext extends PageRequest {
  /** The unescaped parts of the path: `owner`, `repo`, and `rest` after the fixed part. */
  readonly params: { readonly owner: string; readonly repo: string; readonly rest: string }
  readonly requester: Requester
  /** A member of the query; undefined for none. */
  field(name: string): string | undefined
  /** The page of the query, with at most `limit` rows. */
  paging(limit: number): Paging
}

/** Renders a page. Throws NotFound for missing or hidden objects, Moved after a rename. */
export type PageMaker = (context: PageContext) => Promise<Content>

/** The repository of the path if the viewer may see it, or read the unit. Throws NotFound and Moved. */
export async function authorizePage(
  { repos }: { readonly repos: Pick<Services['repos'], 'authorize'> },
  { viewer, params: { owner, repo: name } }: PageContext,
  need: Pick<RepoNeed, 'unit'> = {},
): Promise<RepoInView> {
  // A clone address that was opened in a browser.
  if (/\.git$/i.test(name)) throw new MovedError('repo', `${owner}/${name}`, `${owner}/${name.slice(0, -4)}`)
  const level = need.unit === undefined ? 'see' : 'read'
  return accessQueries.requireVisible(await repos.authorize(viewer, { owner, name }, { ...need, level }))
}

/** The path of a page below a repository: `/base/owner/repo` and these parts, in which slashes are not escaped. */
export const repoPath = (
  { base }: Pick<PageRequest, 'base'>,
  { fullName }: { readonly fullName: string },
  ...parts: readonly string[]
): string => [`${base}/${fullName}`, ...parts.filter((part) => part !== '').map(escapePath)].join('/')

/** The number at the start of the rest of an address, and the text after it, which matches `tail`. Throws NotFound. */
export function numberOf(
  { params: { rest } }: PageContext,
  tail = /^$/,
): { readonly number: number; readonly tail: string } {
  const [, number, after] = /^([1-9]\d{0,14})((?:\/.*)?)$/s.exec(rest) ?? []
  if (number === undefined || !tail.test(after!)) throw errors.pageNotFound()
  return { number: Number(number), tail: after! }
}

/** The heading of every page below a repository, with links to its owner and itself. */
export function repoHeading(context: PageContext, { repo }: Pick<RepoInView, 'repo'>, what?: Html): Html {
  const { base } = context
  const { owner, name } = repo
  const location = safeHtml`<a href="${base}/${owner.name}">${owner.name}</a> / <a href="${repoPath(context, repo)}">${name}</a>`
  return safeHtml`<h1>${location}${what === undefined ? '' : safeHtml`: ${what}`}</h1>`
}

export const NOTHING = new Html('')

/** `part` of the value, or nothing for undefined. */
export const when = <T>(value: T | undefined, part: (value: T) => Html): Html =>
  value === undefined || value === '' ? NOTHING : part(value)

/** One `li` per item, or a sentence if the list is empty. */
export function list<T>(items: readonly T[], item: (item: T) => Html, none: string): Html {
  if (items.length === 0) return safeHtml`<p class="note">${none}</p>`
  return safeHtml`<ul class="list">
${items.map((entry) => safeHtml`<li>${item(entry)}</li>\n`)}</ul>`
}

/** `text` is a time in RFC 3339. */
export const time = (text: string): Html => safeHtml`<time datetime="${text}">${text.replace('T', ' ')}</time>`

/** `ms` is epoch milliseconds. */
export const timeOf = (ms: number): Html => time(wireTime(ms))

/** Links to the other pages of a list. `query` is the rest of their query, beginning with `&`. */
export function pager({ page, limit }: Paging, total: number, query = ''): Html {
  const last = Math.max(1, Math.ceil(total / limit))
  return last === 1 ? NOTHING : steps(Math.min(page, last + 1), page < last, `Page ${page} of ${last}`, query)
}

/** The same for a list of unknown length. */
export const stepper = ({ page }: Paging, hasMore: boolean): Html =>
  page === 1 && !hasMore ? NOTHING : steps(page, hasMore, `Page ${page}`)

function steps(page: number, hasMore: boolean, where: string, query = ''): Html {
  return safeHtml`<nav class="tabs" aria-label="Pages">${when(page - 1 || undefined, (to) => safeHtml`<a rel="prev" href="?page=${to}${query}">Previous</a>`)}
<span>${where}</span>
${when(hasMore ? page + 1 : undefined, (to) => safeHtml`<a rel="next" href="?page=${to}${query}">Next</a>`)}</nav>`
}

/** The first line of a message, shortened for lists. */
export const firstLine = (message: string): string => message.slice(0, MAX_LINE).split('\n', 1)[0]!.toWellFormed()

/** A message, truncated if it is very long. */
export const whole = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()} …` : message

const MAX_LINE = 200
const MAX_MESSAGE = 64 * 1024

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** A number of bytes in human-readable form. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}
