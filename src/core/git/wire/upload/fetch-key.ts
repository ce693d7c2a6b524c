import { createHash } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { GitRepo } from '../../repo.ts'
import type { WireRefs } from '../repo.ts'
import type { V2Request } from './v2-request.ts'

/**
 * True for a fetch whose answer depends on nothing but the request, the objects and the refs, and that starts from
 * nothing: clones of every kind (whole, shallow, partial).
 */
export function isCloneRequest(request: V2Request): boolean {
  if (request.command !== 'fetch' || !request.complete) return false
  return request.args.includes('done') && !request.args.some((arg) => arg.startsWith('have '))
}

/**
 * True when the answer can only begin with the section `packfile`, so that progress may be shown before it is known.
 */
export function answersWithPackOnly(request: V2Request): boolean {
  const other = /^(deepen|shallow|want-ref|packfile-uris|sideband-all|wait-for-done)/
  return isCloneRequest(request) && !request.args.some((arg) => other.test(arg))
}

/** The name under which the answer to a clone request may be kept: equal exactly when the answer is. */
export async function fetchKey(repo: GitRepo, refs: WireRefs, request: V2Request): Promise<string> {
  const { ino, birthtimeMs } = await stat(repo.path)
  const hash = createHash('sha256').update(JSON.stringify([repo.path, ino, birthtimeMs]))
  const capabilities = request.capabilities.filter((line) => !/^(agent|session-id)=/.test(line))
  hash.update(JSON.stringify([[...capabilities].sort(), [...request.args].sort()]))
  if (request.args.some((arg) => /^(include-tag|deepen-not|want-ref)/.test(arg))) hash.update(refsDigest(refs))
  return hash.digest('hex')
}

const digests = new WeakMap<WireRefs, Buffer>()

/** Equal exactly when all refs are. */
function refsDigest(refs: WireRefs): Buffer {
  const cached = digests.get(refs)
  if (cached) return cached
  const hash = createHash('sha256')
  for (const ref of refs.refs) hash.update(`${ref.oid} ${ref.name}\n`)
  const digest = hash.digest()
  digests.set(refs, digest)
  return digest
}

const MAX_ALTERNATES = 5

/** Bytes of all packs a repo reads from, its alternates included: about what a full clone of it sends. */
export async function packBytes(objectsDir: string, depth = 0): Promise<number> {
  const packs = join(objectsDir, 'pack')
  const names = await readdir(packs).catch(() => [])
  const sizes = await Promise.all(
    names.filter((name) => name.endsWith('.pack')).map((name) => fileSize(join(packs, name))),
  )
  const own = sizes.reduce((sum, size) => sum + size, 0)
  if (depth >= MAX_ALTERNATES) return own
  const list = await readFile(join(objectsDir, 'info', 'alternates'), 'utf8').catch(() => '')
  let others = 0
  for (const line of list.split('\n')) if (line !== '') others += await packBytes(resolve(objectsDir, line), depth + 1)
  return own + others
}

const fileSize = (path: string): Promise<number> =>
  stat(path).then(
    (info) => info.size,
    () => 0,
  )
