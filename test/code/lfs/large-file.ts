import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import type { TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

export function hasGitLfs(): boolean {
  try {
    execFileSync('git-lfs', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface LargeFile {
  readonly oid: string
  readonly bytes: Buffer
}

export const basicOf = (person: Person): string =>
  `Basic ${Buffer.from(`${person.name}:${PASSWORD}`).toString('base64')}`

/** The pointer that git-lfs commits instead of the bytes. */
export const pointerOf = ({ oid, bytes }: LargeFile): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`

export function randomFile(size = 100_000): LargeFile {
  const bytes = randomBytes(size)
  return { bytes, oid: createHash('sha256').update(bytes).digest('hex') }
}

/** Uploads the bytes as git-lfs does before a push. */
export async function uploadLarge(
  server: TestServer,
  owner: Person,
  repo: string,
  { oid, bytes }: LargeFile,
): Promise<void> {
  const answer = await fetch(`${server.url}/${owner.name}/${repo}.git/info/lfs/objects/${oid}/${bytes.length}`, {
    method: 'PUT',
    headers: { authorization: basicOf(owner) },
    body: new Uint8Array(bytes),
  })
  if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${await answer.text()}`)
}

/** Commits a pointer and uploads its bytes, unless they should be missing. */
export async function addLarge(
  server: TestServer,
  owner: Person,
  path: string,
  options: { readonly size?: number; readonly isMissing?: boolean } = {},
): Promise<LargeFile> {
  const file = randomFile(options.size)
  const [repo, ...rest] = path.split('/') as [string, ...string[]]
  if (options.isMissing !== true) await uploadLarge(server, owner, repo, file)
  const made = await owner.client.post(`/repos/${owner.name}/${repo}/contents/${rest.join('/')}`, {
    content: Buffer.from(pointerOf(file)).toString('base64'),
    message: `Add ${basename(path)}`,
  })
  if (made.status !== 201) throw new Error(`commit: ${made.status} ${made.text}`)
  return file
}

/** The status and bytes of the download of an object from a repository. */
export async function downloadLarge(
  server: TestServer,
  owner: Person,
  repo: string,
  { oid }: LargeFile,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  const answer = await fetch(`${server.url}/${owner.name}/${repo}.git/info/lfs/objects/${oid}`, {
    headers: { authorization: basicOf(owner) },
  })
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}
