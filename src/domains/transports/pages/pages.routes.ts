import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { safeHtml } from '../../../core/platform/html.ts'
import { fromGit } from '../../../core/git/index.ts'
import { rateLimitKeyOf, ANONYMOUS, type ScopeCategory, type Viewer } from '../../../core/access/viewer.ts'
import { clientHas, weakTag } from '../../../core/http/answer/answer.ts'
import { type ErrorKind, isDomainError, MovedError, TooManyRequestsError } from '../../../core/platform/errors.ts'
import type { RateLimit } from '../../../core/platform/concurrency/rate-limit.ts'
import { clientNetwork } from '../../../core/platform/http/client-network.ts'
import { parsePaging } from '../../../core/platform/paging.ts'
import { ownerNameProblem, webPages } from '../../accounts/index.ts'
import { type Content, layout, POLICY, type PageMaker, type PageContext } from './layout.ts'

interface GoGetDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  /** Branch shown for repositories that anonymous visitors may not see, so that they look like missing ones. */
  readonly defaultBranch: string
  /** The protocol of the clone address that `go` gets. */
  readonly cloneBy: 'https' | 'ssh'
  readonly site: { rootUrl(): string; sshPrefix(): string }
}

/**
 * The page that returns the repository of an import path to `go get`, in the same form for every path
 * (behaviour/git-data-and-transport#git-over-http).
 */
async function goGetPage(
  { repos, defaultBranch, cloneBy, site }: GoGetDeps,
  owner: string,
  repo: string,
): Promise<string> {
  const name = repo.replace(/\.git$/i, '')
  const root = site.rootUrl()
  const path = `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const importPath = `${root.replace(/^https?:\/\//, '')}/${path}`
  const clone = cloneBy === 'ssh' ? `${site.sshPrefix()}${path}.git` : `${root}/${path}.git`
  const branch = (await branchFor(repos, owner, name)) ?? defaultBranch
  const source = `${root}/${path}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}`
  return [
    '<!doctype html>',
    '<html><head>',
    `<meta name="go-import" content="${escape(`${importPath} git ${clone}`)}">`,
    `<meta name="go-source" content="${escape(`${importPath} _ ${source}{/dir} ${source}{/dir}/{file}#L{line}`)}">`,
    `</head><body>go get ${escape(importPath)}</body></html>`,
    '',
  ].join('\n')
}

/** The branch of a repository that anonymous viewers may see. */
async function branchFor(
  repos: Pick<Services['repos'], 'authorize'>,
  owner: string,
  name: string,
): Promise<string | undefined> {
  const decision = await repos.authorize(ANONYMOUS, { owner, name }, { level: 'see' })
  return decision.kind === 'allowed' ? decision.repo.defaultBranch : undefined
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A page, and the scopes that credentials need for it, as for the operations that give the same. */
export interface Page {
  readonly make: PageMaker
  readonly scopes: readonly ScopeCategory[]
}

interface Pages {
  readonly home: Page
  readonly owner: Page
  /** Pages by the names of accounts without a row, which no other account can have. */
  readonly virtualOwners: Readonly<Record<string, Page>>
  /** `rest` consists of type, name and version. */
  readonly ofPackage: Page
  /** `rest` is the id. */
  readonly ofProject: Page
  /** Keyed by the part of the path after the repository; `/*` matches any number of segments. */
  readonly ofRepo: Readonly<Record<string, Page>>
  readonly notifications: Page
}

export interface PageRouteDeps {
  readonly pages: Pages
  readonly webAccess: Pick<Services['webAccess'], 'findViewer'>
  readonly goGet: GoGetDeps
  /** The rate limit of visitors without credentials. */
  readonly rateLimit: RateLimit
  rootUrl(): string
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Script-free pages at the `html_url` of objects in API responses (docs/guide/pages.md). */
export function registerPages(http: FastifyInstance, deps: PageRouteDeps): void {
  const { pages, goGet } = deps
  const ofOwner =
    (handler: Handler): Handler =>
    async (request, reply) => {
      const { owner } = paramsOf(request)
      if (ownerNameProblem(owner) === undefined) return handler(request, reply)
      reply.callNotFound()
      return reply
    }
  const ofRepo =
    (handler: Handler): Handler =>
    async (request, reply) => {
      if (webPages.queryFields(request)['go-get'] !== '1') return ofOwner(handler)(request, reply)
      const { owner, repo } = paramsOf(request)
      return reply.type('text/html; charset=utf-8').send(await goGetPage(goGet, owner, repo))
    }
  http.get('/', answering(deps, pages.home))
  http.get('/notifications', answering(deps, pages.notifications))
  for (const [name, make] of Object.entries(pages.virtualOwners)) http.get(`/${name}`, answering(deps, make))
  http.get('/:owner', ofOwner(answering(deps, pages.owner)))
  http.get('/:owner/-/packages/*', ofOwner(answering(deps, pages.ofPackage)))
  http.get('/:owner/-/projects/*', ofOwner(answering(deps, pages.ofProject)))
  for (const [path, make] of Object.entries(pages.ofRepo))
    http.get(`/:owner/:repo${path}`, ofRepo(answering(deps, make)))
  http.get(
    '/:owner/:repo/*',
    ofRepo(async (_, reply) => {
      reply.callNotFound()
      return reply
    }),
  )
}

function paramsOf(request: FastifyRequest): PageContext['params'] {
  const { owner = '', repo = '', '*': rest = '' } = request.params as Partial<Record<string, string>>
  return { owner, repo, rest }
}

function answering(deps: PageRouteDeps, { make, scopes }: Page): Handler {
  return async (request, reply) => {
    let viewer: Viewer = ANONYMOUS
    try {
      const found = await deps.webAccess.findViewer(request, scopes)
      if (found === undefined) return webPages.redirectToSignIn(deps, request, reply)
      viewer = found
      return send(request, reply, layoutOf(await make(pageContextOf(deps, request, viewer))))
    } catch (thrown) {
      const error = fromGit(thrown)
      if (error instanceof MovedError) return redirect(deps, error, request, reply)
      if (!isDomainError(error)) throw error
      const refusal = REFUSALS[error.kind] ?? MISSING
      if (refusal.status === 429 || refusal.status === 503)
        void reply.header('retry-after', String(error instanceof TooManyRequestsError ? error.retryAfter : RETRY_AFTER))
      return send(request, reply.code(refusal.status), layoutOf(contentOf(refusal)))
    }

    function layoutOf(content: Content): string {
      return layout(content, pageContextOf(deps, request, viewer))
    }
  }
}

function pageContextOf({ rootUrl, rateLimit }: PageRouteDeps, request: FastifyRequest, viewer: Viewer): PageContext {
  const query = webPages.queryFields(request)
  let hasSpent = false
  return {
    viewer,
    url: request.url,
    base: webPages.pathTo({ rootUrl }, ''),
    rootUrl,
    requester: {
      key: rateLimitKeyOf(viewer, request.ip),
      spend() {
        if (viewer.kind === 'anonymous' && !hasSpent) rateLimit.take(clientNetwork(request.ip))
        hasSpent = true
      },
    },
    params: paramsOf(request),
    field: (name) => query[name],
    paging: (limit) => parsePaging(query['page'], undefined, { defaultLimit: limit, maxLimit: limit }),
  }
}

interface Refusal {
  readonly status: number
  readonly title: string
  readonly text: string
}

/** Seconds. */
const RETRY_AFTER = 5

const MISSING: Refusal = {
  status: 404,
  title: 'Not found',
  text: 'There is nothing at this address, or you may not see it.',
}

const REFUSALS: Readonly<Partial<Record<ErrorKind, Refusal>>> = {
  unauthenticated: { status: 401, title: 'Wrong credentials', text: 'The credentials of this request are wrong.' },
  'too-many-requests': { status: 429, title: 'Too many requests', text: 'Try again later.' },
  unavailable: { status: 503, title: 'Not available', text: 'The server cannot read this now. Try again later.' },
}

const contentOf = ({ title, text }: Refusal): Content => ({ title, body: safeHtml`<h1>${title}</h1>\n<p>${text}</p>` })

/** NOTE: private, because the content of an address depends on the viewer. */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'private, no-cache',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  vary: 'Authorization, Cookie',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

function send(request: FastifyRequest, reply: FastifyReply, document: string): FastifyReply {
  void reply.headers(HEADERS)
  if (reply.statusCode === 200) {
    const etag = weakTag(document)
    void reply.header('etag', etag)
    if (clientHas(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  return reply.type('text/html; charset=utf-8').send(document)
}

/** The same address under the new name. */
function redirect(deps: PageRouteDeps, error: MovedError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const rest = request.url.split('/').slice(1 + error.from.split('/').length)
  const query = rest.length === 0 ? request.url.slice(request.url.split('?', 1)[0]!.length) : ''
  const path = [...error.to.split('/').map(encodeURIComponent), ...rest].join('/')
  return reply
    .code(error.what === 'repo' ? 301 : 307)
    .headers({ ...HEADERS, location: webPages.pathTo(deps, `/${path}${query}`) })
    .send()
}
