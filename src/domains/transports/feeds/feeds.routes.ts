import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { escapePath } from '../../../core/access/repo-urls.ts'
import type { Unit } from '../../../core/access/repo-access.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { clientHas, weakTag } from '../../../core/http/answer/answer.ts'
import { MovedError } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type User, webPages } from '../../accounts/index.ts'
import { accessQueries } from '../../repositories/index.ts'
import { activityEntry } from './activity.feed.ts'
import { type CodeFeedDeps, commitsFeed, FIRST, releasesFeed, type RepoVisit, tagsFeed } from './code.feed.ts'
import { FEED_TYPES, type FeedContent, type FeedFormat, writeFeed } from './feed-document.ts'

export interface FeedRouteDeps extends CodeFeedDeps {
  readonly activities: Pick<Services['activities'], 'ofOrg' | 'ofRepo' | 'ofUser'>
  readonly orgs: Pick<Services['orgs'], 'getInView'>
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly users: Pick<Services['users'], 'getInView'>
  readonly webAccess: Pick<Services['webAccess'], 'findViewer'>
}

/** The parts of the address of a feed. */
interface Address {
  readonly owner: string
  /** Empty for the feed of an account. */
  readonly repo: string
  /** The path after the name of the account or repository, as the client sent it. */
  readonly tail: string
  readonly rest: string
  readonly format: FeedFormat
}

type MakeFeed = (viewer: Viewer, address: Address) => Promise<FeedContent>

/** RSS and Atom feeds (docs/guide/feeds.md, behaviour/git-data-and-transport#web-addresses). */
export function registerFeeds(http: FastifyInstance, deps: FeedRouteDeps): void {
  const ofRepo =
    (unit: Unit | undefined, make: (deps: FeedRouteDeps, access: RepoVisit) => Promise<FeedContent>): MakeFeed =>
    async (viewer, { owner, repo: name, rest }) => {
      const need = unit === undefined ? ({ level: 'see' } as const) : ({ level: 'read', unit } as const)
      const decision = await deps.repos.authorize(viewer, { owner, name }, need)
      return make(deps, { viewer, target: accessQueries.requireVisible(decision), rest })
    }
  // NOTE: no account and no repository may have a name with such an ending.
  const named = String.raw`:feed(^[^/]+\.(?:rss|atom)$)`
  http.get(
    `/${named}`,
    answering(deps, (viewer, address) => ownerFeed(deps, viewer, address)),
  )
  http.get(`/:owner/${named}`, answering(deps, ofRepo(undefined, repoFeed)))
  http.get('/:owner/:repo/releases.:format(^rss|atom$)', answering(deps, ofRepo('repo.releases', releasesFeed)))
  http.get('/:owner/:repo/tags.:format(^rss|atom$)', answering(deps, ofRepo('repo.code', tagsFeed)))
  http.get('/:owner/:repo/:format(^rss|atom$)/branch/*', answering(deps, ofRepo('repo.code', commitsFeed)))
}

/** The activities of a user, or in the repositories of an organization. */
async function ownerFeed(deps: FeedRouteDeps, viewer: Viewer, { owner: name }: Address): Promise<FeedContent> {
  const { activities, orgs, site, users } = deps
  const owner: User = await users.getInView(viewer, name)
  const { items } =
    owner.kind === 'organization'
      ? await activities.ofOrg(viewer, await orgs.getInView(viewer, name), {}, FIRST)
      : await activities.ofUser(viewer, owner, { own: true }, FIRST)
  return {
    title: `Activity of ${owner.name}`,
    link: `${site.rootUrl()}/${owner.name}`,
    since: owner.createdAt,
    entries: items.map((view) => activityEntry(view, site)),
  }
}

async function repoFeed({ activities, site }: FeedRouteDeps, { viewer, target }: RepoVisit): Promise<FeedContent> {
  const { repo } = target
  const { items } = await activities.ofRepo(viewer, repo, {}, FIRST)
  return {
    title: `Activity in ${repo.fullName}`,
    link: `${site.rootUrl()}/${repo.fullName}`,
    since: repo.createdAt,
    entries: items.map((view) => activityEntry(view, site)),
  }
}

/** NOTE: private, because the content of an address depends on the viewer. */
const HEADERS = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Cookie',
  'x-content-type-options': 'nosniff',
}

function answering(deps: FeedRouteDeps, make: MakeFeed) {
  return webPages.plainTextErrors(async (request: FastifyRequest, reply: FastifyReply) => {
    const viewer = await deps.webAccess.findViewer(request)
    // Unlike a page, which sends to the sign-in page: a reader sends its credentials again.
    if (viewer === undefined)
      return reply.code(401).header('www-authenticate', 'Basic realm="Ingot"').type('text/plain').send('Sign in.\n')
    const address = addressOf(request)
    const content = await make(viewer, address).catch((error: unknown) => {
      if (error instanceof MovedError) return error
      throw error
    })
    if (content instanceof MovedError) return redirect(deps.site, content, address, reply)
    const document = await writeFeed(address.format, selfOf(deps.site, request), content)
    const etag = weakTag(document)
    void reply.headers({ ...HEADERS, etag })
    if (clientHas(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(FEED_TYPES[address.format]).send(document)
  })
}

function addressOf(request: FastifyRequest): Address {
  const params = request.params as Partial<Record<string, string>>
  const [path = ''] = request.url.split('?', 1)
  const { feed = '', owner, repo, '*': rest = '' } = params
  const [, name = '', ending = params['format']] = /^(.+)\.(rss|atom)$/.exec(feed) ?? []
  const format = ending as FeedFormat
  if (owner === undefined) return { owner: name, repo: '', tail: `.${format}`, rest, format }
  if (repo === undefined) return { owner, repo: name, tail: `.${format}`, rest, format }
  return { owner, repo, tail: `/${path.split('/').slice(3).join('/')}`, rest, format }
}

const selfOf = (site: Site, { url }: FastifyRequest): string => site.rootUrl() + url.split('?', 1)[0]!

/** Redirects to the same feed under the new name. */
function redirect(site: Site, { what, to }: MovedError, { repo, tail }: Address, reply: FastifyReply): FastifyReply {
  const name = what === 'owner' && repo !== '' ? `${to}/${repo}` : to
  return reply
    .code(what === 'repo' ? 301 : 307)
    .header('location', `${site.rootUrl()}/${escapePath(name)}${tail}`)
    .send()
}
