import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { drawIdenticon } from '../../../core/platform/images/identicon.ts'
import { parseInteger } from '../../../core/platform/paging.ts'
import type { Avatars } from './avatars.service.ts'

const GENERATED = /^[0-9a-f]{32}$/
const MIN_SIDE = 16
const MAX_SIDE = 512
const DEFAULT_SIDE = 290
const HEADERS = {
  'cache-control': 'public, max-age=21600',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

/**
 * Serves uploaded images by their hash, and images generated from the hash of an email address
 * (behaviour/git-data-and-transport#web-addresses).
 */
export function registerAvatars(app: FastifyInstance, avatars: Avatars): void {
  const uploaded = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { hash } = request.params as { hash: string }
    const file = await avatars.find(hash)
    if (file === undefined) return reply.code(404).type('text/plain; charset=utf-8').send('Not found.\n')
    if (isUnchanged(request, reply, hash)) return reply.code(304).send()
    reply.type(file.mediaType).header('content-length', file.size)
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : await file.open())
  }
  app.get('/avatars/:hash', (request, reply) => {
    const { hash } = request.params as { hash: string }
    return GENERATED.test(hash) ? generated(hash, request, reply) : uploaded(request, reply)
  })
  app.get('/repo-avatars/:hash', uploaded)
  app.get('/assets/img/avatar_default.png', (request, reply) => generated('', request, reply))
}

function generated(seed: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const wanted = parseInteger((request.query as { size?: string }).size)
  const side = wanted === 0 ? DEFAULT_SIDE : Math.min(MAX_SIDE, Math.max(MIN_SIDE, wanted))
  if (isUnchanged(request, reply, `${seed}-${side}`)) return reply.code(304).send()
  return reply.type('image/png').send(drawIdenticon(seed, side))
}

function isUnchanged(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  const etag = `"${tag}"`
  reply.headers({ ...HEADERS, etag })
  return request.headers['if-none-match'] === etag
}
