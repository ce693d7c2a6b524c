import { createReadStream } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { Viewer } from '../../../core/access/viewer.ts'
import { type GitRepo, readWireRefs } from '../../../core/git/index.ts'
import { immutableFor, NO_CACHE } from './headers.ts'
import { Refusal } from './refusal.ts'

const LOOSE = /^[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})$/
const PACK = /^pack\/pack-(?:[0-9a-f]{40}|[0-9a-f]{64})\.(pack|idx)$/

/**
 * The refs in the format of the dumb protocol: one `oid<TAB>name` per line, peeled tags after their tag
 * (gitprotocol-http(5)).
 */
export async function sendDumbRefs(repo: GitRepo, reply: FastifyReply): Promise<FastifyReply> {
  const { refs } = await readWireRefs(repo)
  const lines = refs.map(
    ({ oid, name, peeled }) => `${oid}\t${name}\n${peeled === undefined ? '' : `${peeled}\t${name}^{}\n`}`,
  )
  return reply.headers(NO_CACHE).type('text/plain; charset=utf-8').send(lines.join(''))
}

export async function sendHead(repo: GitRepo, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .headers(NO_CACHE)
    .type('text/plain')
    .send(await readFile(join(repo.path, 'HEAD')))
}

/**
 * Sends a file below `objects/`: a loose object, a pack, its index, or the list of packs. Other files are not found.
 */
export async function sendObjectFile(
  { repo, viewer }: { readonly repo: GitRepo; readonly viewer: Viewer },
  name: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (name === 'info/packs') return sendPackList(repo, reply)
  const pack = PACK.exec(name)
  if (!pack && !LOOSE.test(name)) throw new Refusal(404, 'Not found.')
  const type = pack
    ? pack[1] === 'pack'
      ? 'application/x-git-packed-objects'
      : 'application/x-git-packed-objects-toc'
    : 'application/x-git-loose-object'
  const path = join(repo.path, 'objects', name)
  const info = await stat(path).catch(() => undefined)
  if (!info?.isFile()) throw new Refusal(404, 'Not found.')
  return reply
    .headers({ ...immutableFor(viewer), 'content-length': String(info.size) })
    .type(type)
    .send(createReadStream(path))
}

async function sendPackList(repo: GitRepo, reply: FastifyReply): Promise<FastifyReply> {
  const names = await readdir(join(repo.path, 'objects', 'pack'))
  const packs = names.filter((name) => PACK.test(`pack/${name}`) && name.endsWith('.pack'))
  return reply
    .headers(NO_CACHE)
    .type('text/plain; charset=utf-8')
    .send(`${packs.map((name) => `P ${name}\n`).join('')}\n`)
}
