import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Pushes } from '../../domain/code/index.ts'
import type { Wikis } from '../../domain/wiki/index.ts'
import { serviceHeader, type Git, type GitRepo, type ReceivePack, type UploadPack } from '../../git/index.ts'
import { MovedError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import { admit, type AdmitDeps, type GitTarget, type Intent } from './admit.ts'
import { sendDumbRefs, sendHead, sendObjectFile } from './dumb-files.ts'
import { NO_CACHE, PRIVATE } from './headers.ts'
import { Refusal } from './refusal.ts'
import { gitProtocol, transfer } from './transfer.ts'

export interface GitHttpDeps extends AdmitDeps {
  readonly git: Git
  readonly uploadPack: UploadPack
  readonly receivePack: ReceivePack
  readonly pushes: Pushes
  readonly wikis: Wikis
  /** Bytes of one push. */
  readonly maxPackBytes: number
  readonly log: Logger
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Git over HTTP: `/{owner}/{repo}` and `/{owner}/{repo}.git` (reference git-data-and-transport §11). */
export function registerGitHttp(app: FastifyInstance, deps: GitHttpDeps): void {
  const open = async (request: FastifyRequest, intent: Intent): Promise<{ target: GitTarget; repo: GitRepo }> => {
    const target = await admit(deps, request, intent)
    return { target, repo: target.isWiki ? await openWiki(deps, target, intent) : deps.git.open(target.repo) }
  }
  const reading =
    (send: (repo: GitRepo, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): Handler =>
    async (request, reply) =>
      send((await open(request, 'read')).repo, request, reply)

  app.get('/:owner/:repo/info/refs', guarded((request, reply) => infoRefs(deps, open, request, reply)))
  app.post('/:owner/:repo/git-upload-pack', guarded(async (request, reply) => {
    const { repo } = await open(request, 'read')
    requireType(request, 'git-upload-pack')
    await transfer(request, reply, { repo, service: 'git-upload-pack', log: deps.log }, (exchange) => deps.uploadPack.serveRequest(exchange))
  }))
  app.post('/:owner/:repo/git-receive-pack', guarded(async (request, reply) => {
    const { target, repo } = await open(request, 'push')
    requireType(request, 'git-receive-pack')
    const policy = (target.isWiki ? deps.wikis : deps.pushes).policyFor(target.viewer, target)
    const { maxPackBytes, log } = deps
    await transfer(request, reply, { repo, service: 'git-receive-pack', log }, (exchange) =>
      deps.receivePack.serveRequest({ ...exchange, policy, maxPackBytes }),
    )
  }))
  app.get('/:owner/:repo/HEAD', guarded(reading((repo, _, reply) => sendHead(repo, reply))))
  app.get('/:owner/:repo/objects/*', guarded(reading((repo, request, reply) => sendObjectFile(repo, (request.params as Record<string, string>)['*']!, reply))))
}

/** A wiki begins with its first page or push; until then there is nothing to read. */
async function openWiki({ wikis }: GitHttpDeps, { repo }: GitTarget, intent: Intent): Promise<GitRepo> {
  const wiki = intent === 'push' ? await wikis.ensure(repo) : await wikis.find(repo)
  if (wiki === undefined) throw new Refusal(404, 'Not found.')
  return wiki
}

async function infoRefs(
  deps: GitHttpDeps,
  open: (request: FastifyRequest, intent: Intent) => Promise<{ repo: GitRepo }>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { service } = request.query as { service?: string }
  if (service === undefined) return sendDumbRefs((await open(request, 'read')).repo, reply)
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') throw new Refusal(400, 'Invalid service')
  const { repo } = await open(request, service === 'git-receive-pack' ? 'push' : 'read')
  const door = service === 'git-receive-pack' ? deps.receivePack : deps.uploadPack
  const body = Buffer.concat([serviceHeader(service), await door.advertise(repo, gitProtocol(request))])
  return reply.headers(NO_CACHE).type(`application/x-${service}-advertisement`).send(body)
}

function requireType(request: FastifyRequest, service: string): void {
  if (request.headers['content-type'] !== `application/x-${service}-request`) throw new Refusal(400, 'Invalid content type')
}

/** Answers of this door are plain text; the API's JSON errors are for its own paths. */
function guarded(handler: Handler): Handler {
  return async (request, reply) => {
    try {
      await handler(request, reply)
      return reply
    } catch (error) {
      if (error instanceof Refusal) return reply.code(error.status).headers({ ...PRIVATE, ...error.headers }).type('text/plain; charset=utf-8').send(`${error.message}\n`)
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
