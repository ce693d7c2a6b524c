import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, safeHtml } from '../../../../core/platform/html.ts'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 26rem; padding: 3rem 1rem }
h1 { font-size: 1.4rem }
label { display: block; margin: 1rem 0 .25rem }
input { box-sizing: border-box; font: inherit; padding: .5rem; width: 100% }
button { font: inherit; margin: 1.25rem .5rem 0 0; padding: .5rem 1rem }
code { overflow-wrap: anywhere }
:focus-visible { outline: 2px solid; outline-offset: 2px }
li form { display: inline }
.error { border-left: .25rem solid #c33; padding-left: .75rem }
`
const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const STYLE_HASH = hashOf(STYLE)

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Shown above the body. */
  readonly error?: string | undefined
  /** Another site to which the forms of the page redirect: browsers check `form-action` for redirects, too. */
  readonly redirectsTo?: string | undefined
  /** A constant script; the page works without it, too. */
  readonly script?: string | undefined
}

/** Sends a whole page, which loads nothing from other sites, and must neither be framed nor cached. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const error = page.error === undefined ? safeHtml`` : safeHtml`<p class="error" role="alert">${page.error}</p>`
  const document = safeHtml`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${page.title}</title><style>${new Html(STYLE)}</style></head>
<body><main><h1>${page.title}</h1>
${error}
${page.body}
</main>${page.script === undefined ? safeHtml`` : safeHtml`<script>${new Html(page.script)}</script>`}</body>
</html>
`
  const scripts = page.script === undefined ? '' : ` script-src ${hashOf(page.script)};`
  const actions = ["'self'", ...sourceOf(page.redirectsTo)].join(' ')
  return reply
    .code(page.status ?? 200)
    .headers({
      ...PRIVATE,
      'content-security-policy': `default-src 'none'; style-src ${STYLE_HASH};${scripts} form-action ${actions}; frame-ancestors 'none'; base-uri 'none'`,
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(document.text)
}

/** NOTE: `no-referrer` would make browsers send `Origin: null` with forms. */
const PRIVATE: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

export const redirectTo = (reply: FastifyReply, location: string): FastifyReply =>
  reply
    .code(303)
    .headers({ ...PRIVATE, location })
    .send()

/** The source expression of an address for a policy: its origin, or only its scheme if it has no origin. */
function sourceOf(uri: string | undefined): string[] {
  const url = uri === undefined ? null : URL.parse(uri)
  if (url === null) return []
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  const source = isWeb && !url.hostname.startsWith('[') ? url.origin : url.protocol
  return /^[a-z0-9.+:/-]+$/i.test(source) ? [source] : []
}
