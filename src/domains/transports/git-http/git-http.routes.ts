import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import {
  type BundleUrl,
  type Git,
  type GitRepo,
  serveUploadArchive,
  serviceHeader,
  type OpenBundle,
  type Exchange,
  WireError,
} from '../../../core/git/index.ts'
import { isDomainError, MovedError } from '../../../core/platform/errors.ts'
import { clientNetwork } from '../../../core/platform/http/client-network.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { authorizeGit, type AuthorizeGitDeps, type GitTarget, type Intent } from './authorize-git.ts'
import { sendDumbRefs, sendHead, sendObjectFile } from './dumb-files.ts'
import { NO_CACHE, PRIVATE } from './headers.ts'
import { allowOrigin } from './origins.ts'
import { MissingForPush, Refusal } from './refusal.ts'
import { Readable } from 'node:stream'
import { etagMatches, parseRange } from '../../../core/platform/http/media-type.ts'
import { createGunzip } from 'node:zlib'

const READ_SIZE = 64 * 1024

/** Sends a bundle, as a whole or the range that a client lacks after an interrupted download. Closes the file. */
async function sendBundle(
  { file, size, modifiedMs, tag }: OpenBundle,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const etag = `"${tag}"`
  const modified = new Date(modifiedMs).toUTCString()
  const { 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers
  reply.headers({
    ...PRIVATE,
    etag,
    'last-modified': modified,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  })
  const range =
    ifRange === undefined || ifRange === etag || ifRange === modified
      ? parseRange(request.headers.range, size)
      : undefined
  if (etagMatches(ifNoneMatch, etag) || range === 'bad' || request.method === 'HEAD') {
    await file.close()
    if (etagMatches(ifNoneMatch, etag)) return reply.code(304).send()
    if (range === 'bad')
      throw new Refusal(416, 'the range starts past the end of the file', { 'content-range': `bytes */${size}` })
    // NOTE: an empty stream, because without a body the framework would set the length to 0.
    return reply.header('content-length', String(size)).type('application/x-git-bundle').send(Readable.from([]))
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  reply.header('content-length', String(end - start + 1)).type('application/x-git-bundle')
  return reply.send(file.createReadStream({ start, end, highWaterMark: READ_SIZE }))
}

export interface GitHttpDeps extends AuthorizeGitDeps {
  readonly git: Git
  readonly transport: Services['gitTransport']
  readonly pushes: Services['pushes']
  readonly wikis: Services['wikis']
  readonly log: Logger
}

type Open = (request: FastifyRequest, intent: Intent) => Promise<{ readonly target: GitTarget; readonly repo: GitRepo }>
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Git over HTTP: `/{owner}/{repo}` and `/{owner}/{repo}.git` (behaviour/git-data-and-transport#git-over-http). */
export function registerGitHttp(http: FastifyInstance, deps: GitHttpDeps): void {
  void http.register(async (scope) => {
    allowOrigin(scope, deps.settings.allowOrigin)
    registerServices(scope, deps)
  })
}

function registerServices(app: FastifyInstance, deps: GitHttpDeps): void {
  const open = async (request: FastifyRequest, intent: Intent): Promise<{ target: GitTarget; repo: GitRepo }> => {
    const target = await authorizeGit(deps, request, intent)
    return { target, repo: target.isWiki ? await openWiki(deps, target, intent) : deps.git.open(target.repo) }
  }
  app.get(
    '/:owner/:repo/info/refs',
    answering((request, reply) => infoRefs(deps, open, request, reply)),
  )
  app.post(
    '/:owner/:repo/git-upload-pack',
    answering(async (request, reply) => {
      const { target, repo } = await open(request, 'read')
      requireType(request, 'git-upload-pack')
      const bundle = bundleOf(deps, target)
      await transfer(request, reply, { repo, target, service: 'git-upload-pack', log: deps.log }, (exchange) =>
        deps.transport.uploadPack.serveRequest({ ...exchange, ...bundle }),
      )
    }),
  )
  app.post(
    '/:owner/:repo/git-receive-pack',
    answering(async (request, reply) => {
      const { target, repo } = await open(request, 'push').catch(async (error: unknown) => {
        await createMissing(deps, error)
        return open(request, 'push')
      })
      requireType(request, 'git-receive-pack')
      const policy = (target.isWiki ? deps.wikis : deps.pushes).policyFor(target.viewer, target)
      const { receivePack, maxPackBytes } = deps.transport
      await transfer(request, reply, { repo, target, service: 'git-receive-pack', log: deps.log }, (exchange) =>
        receivePack.serveRequest({ ...exchange, policy, maxPackBytes }),
      )
    }),
  )
  app.post(
    '/:owner/:repo/git-upload-archive',
    answering(async (request, reply) => {
      const { target, repo } = await open(request, 'read')
      requireType(request, 'git-upload-archive')
      await transfer(request, reply, { repo, target, service: 'git-upload-archive', log: deps.log }, (exchange) =>
        serveUploadArchive(exchange, deps.transport.uploadArchive),
      )
    }),
  )
  app.get(
    '/:owner/:repo/clone.bundle',
    answering(async (request, reply) => {
      const target = await authorizeGit(deps, request, 'read')
      const bundle =
        deps.transport.bundleUrl === undefined || target.isWiki
          ? undefined
          : await deps.git.openBundle(target.repo.storage)
      if (bundle === undefined) throw new Refusal(404, 'Not found.')
      return sendBundle(bundle, request, reply)
    }),
  )
  app.get(
    '/:owner/:repo/HEAD',
    answering(async (request, reply) => sendHead((await open(request, 'read')).repo, reply)),
  )
  app.get(
    '/:owner/:repo/objects/*',
    answering(async (request, reply) => {
      const { target, repo } = await open(request, 'read')
      const { '*': name } = request.params as { '*': string }
      return sendObjectFile({ repo, viewer: target.viewer }, name, reply)
    }),
  )
}

function bundleOf(
  { transport: { bundleUrl } }: GitHttpDeps,
  { repo, isWiki }: GitTarget,
): { readonly bundleUrl?: BundleUrl } {
  return bundleUrl === undefined || isWiki ? {} : { bundleUrl: bundleUrl(repo) }
}

/** A wiki is created by its first page or push; before that there is nothing to read. */
async function openWiki({ wikis }: GitHttpDeps, { repo }: GitTarget, intent: Intent): Promise<GitRepo> {
  const wiki = intent === 'push' ? await wikis.ensure(repo) : await wikis.find(repo)
  if (wiki === undefined) throw new Refusal(404, 'Not found.')
  return wiki
}

async function infoRefs(
  deps: GitHttpDeps,
  open: Open,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { service } = request.query as { service?: string }
  if (service === undefined) return sendDumbRefs((await open(request, 'read')).repo, reply)
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') throw new Refusal(400, 'Invalid service')
  const body = Buffer.concat([serviceHeader(service), await advertise(deps, open, request, service)])
  return reply.headers(NO_CACHE).type(`application/x-${service}-advertisement`).send(body)
}

async function advertise(
  deps: GitHttpDeps,
  open: Open,
  request: FastifyRequest,
  service: 'git-upload-pack' | 'git-receive-pack',
): Promise<Buffer> {
  const protocol = gitProtocol(request)
  if (service === 'git-upload-pack') {
    const { target, repo } = await open(request, 'read')
    return deps.transport.uploadPack.advertise(repo, protocol, bundleOf(deps, target).bundleUrl)
  }
  try {
    return await deps.transport.receivePack.advertise((await open(request, 'push')).repo, protocol)
  } catch (error) {
    if (!(error instanceof MissingForPush)) throw error
    await orMissing(error, deps.repos.requireCreatableByPush(error.viewer, error.owner))
    return deps.transport.receivePack.advertiseNew(protocol)
  }
}

/** Creates the missing repository of a push if this is enabled. Rethrows all other errors. */
async function createMissing({ repos }: GitHttpDeps, error: unknown): Promise<void> {
  if (!(error instanceof MissingForPush)) throw error
  await orMissing(error, repos.createByPush(error.viewer, error.owner, error.repo))
}

/** A viewer who may not create the repository gets the same response as for a missing one. */
async function orMissing(missing: MissingForPush, done: Promise<unknown>): Promise<void> {
  try {
    await done
  } catch (error) {
    if (isDomainError(error, 'not-found')) throw missing
    if (isDomainError(error, 'forbidden')) throw new Refusal(403, error.message)
    throw isDomainError(error, 'invalid') ? new Refusal(422, error.message) : error
  }
}

function requireType(request: FastifyRequest, service: string): void {
  if (request.headers['content-type'] !== `application/x-${service}-request`)
    throw new Refusal(400, 'Invalid content type')
}

/** Refusals are plain text here; JSON errors are only for the paths of the API. */
function answering(handler: Handler): Handler {
  return async (request, reply) => {
    try {
      await handler(request, reply)
      return reply
    } catch (error) {
      if (error instanceof Refusal)
        return reply
          .code(error.status)
          .headers({ ...PRIVATE, ...error.headers })
          .type('text/plain; charset=utf-8')
          .send(`${error.message}\n`)
      if (error instanceof MovedError) return reply.code(301).header('location', movedPath(error, request)).send()
      throw error
    }
  }
}

function movedPath(error: MovedError, request: FastifyRequest): string {
  const { repo } = request.params as { repo: string }
  const suffix = /(?:\.wiki)?(?:\.git)?$/i.exec(repo)![0]
  const name = error.what === 'repo' ? error.to : `${error.to}/${repo.slice(0, repo.length - suffix.length)}`
  const rest = request.url.split('/').slice(3).join('/')
  return `/${name.split('/').map(encodeURIComponent).join('/')}${suffix}/${rest}`
}

/** Handles one POST of a git client; request and response are streamed at the speed of the slower side. */
async function transfer(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    repo,
    target: { viewer },
    service,
    log,
  }: { readonly repo: GitRepo; readonly target: GitTarget; readonly service: string; readonly log: Logger },
  serve: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const input = inflate(request)
  const client = viewer.kind === 'user' ? `account ${viewer.account.id}` : clientNetwork(request.ip)
  const disconnected = new AbortController()
  const output = reply.raw
  output.on('close', () => disconnected.abort())
  output.on('error', () => disconnected.abort())
  const cors = Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
  reply.hijack()
  output.writeHead(200, { ...cors, ...NO_CACHE, 'content-type': `application/x-${service}-result` })
  try {
    await serve({ repo, client, input, output, protocol: gitProtocol(request), signal: disconnected.signal })
    output.end()
  } catch (error) {
    const wasAnswered = error instanceof WireError && (error.kind === 'protocol' || error.kind === 'refused')
    if (!(error instanceof WireError)) log.error({ err: error, request: request.id }, 'git transfer failed')
    else log.info({ request: request.id, kind: error.kind, reason: error.message }, 'git transfer ended prematurely')
    if (wasAnswered) output.end()
    else output.destroy()
  } finally {
    if (input !== request.raw) input.destroy()
  }
}

function gitProtocol(request: FastifyRequest): string | undefined {
  const value = request.headers['git-protocol']
  return Array.isArray(value) ? value[0] : value
}

function inflate(request: FastifyRequest): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return request.raw
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Refusal(415, `Content-Encoding ${encoding} is not supported`)
  const inflated = createGunzip()
  // NOTE: a broken body fails the reader of the inflated stream; a pipeline would also destroy the request, whose rest
  // must be read before the next request.
  request.raw.on('error', (error) => inflated.destroy(error)).pipe(inflated)
  return inflated
}
