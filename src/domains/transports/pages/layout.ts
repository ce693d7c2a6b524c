import { createHash } from 'node:crypto'
import type { Viewer } from '../../../core/access/viewer.ts'
import { HOME, Html, safeHtml, signInPath } from '../../accounts/index.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 64rem; padding: 1rem }
header nav, .tabs { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
header { border-bottom: 1px solid #8886; padding-bottom: .5rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.2rem; margin-top: 2rem }
ul.list { list-style: none; padding: 0 }
ul.list > li { border-top: 1px solid #8884; overflow-wrap: anywhere; padding: .4rem 0 }
code, pre { font: .9rem/1.45 ui-monospace, monospace }
pre { background: #8881; overflow-x: auto; padding: .75rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { border: 1px solid #8884; padding: .25rem .6rem; text-align: left }
article { border: 1px solid #8884; overflow-wrap: anywhere; padding: 0 1rem 1rem }
img, video { max-width: 100% }
svg { height: 1em; width: 1em }
small, .note { opacity: .75 }
`
const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

/** No script, no form, no frame; pictures of texts are at any address that is not in the clear. */
export const POLICY = `default-src 'none'; style-src ${STYLE_HASH}; img-src 'self' https:; media-src 'self' https:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`

export interface Content {
  readonly title: string
  readonly body: Html
}

/** What every page shows of its request. */
export interface PageRequest {
  readonly viewer: Viewer
  /** The path and query of the request. */
  readonly url: string
  /** The path of the root URL, without a slash at its end. */
  readonly base: string
  rootUrl(): string
}

/** A whole page: the links of every page, and the content. */
export function layout({ title, body }: Content, request: PageRequest): string {
  const { viewer, base, url } = request
  const account =
    viewer.kind === 'anonymous'
      ? safeHtml`<a href="${signInPath(request, url)}">Sign in</a>`
      : safeHtml`<a href="${base}/${viewer.account.name}">${viewer.account.name}</a> <a href="${base}${HOME}">Account</a>`
  return safeHtml`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><header><nav aria-label="Site"><a href="${base}/">Ingot</a> ${account}</nav></header>
<main>
${body}
</main></body>
</html>
`.text
}
