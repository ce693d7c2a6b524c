import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { DEFAULT_UNITS } from '../../../src/core/access/repo-access.ts'
import { insertRepo } from '../../harness/rows.ts'
import type { RepoTable } from '../../../src/domains/repositories/repos/repo.table.ts'
import { row } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'

/** Variables of the block: test files that run in one process share this module. */
export let dir: ReturnType<typeof tempDir>
export let server: TestServer
export let alice: Person
export let bob: Person
let count = 0

export const next = (): number => count++

/** The block has a server and users of its own. */
export function useWorld(): void {
  beforeAll(async () => {
    dir = tempDir()
    server = await startServer()
    alice = await server.world.user('alice')
    bob = await server.world.user('bob')
  })
  afterAll(async () => {
    await server.close()
    dir.remove()
  })
}

export async function repo(owner: Person, values: Partial<Record<keyof RepoTable, unknown>> = {}) {
  const name = `repo${next()}`
  const storage = `te/${name}`
  const format = values.object_format === 'sha256' ? 'sha256' : 'sha1'
  await server.app.git.createRepo(storage, { objectFormat: format, defaultBranch: 'main' })
  const id = await server.app.database.transaction((tx) =>
    insertRepo(tx, {
      owner_id: owner.user.id,
      name,
      lower_name: name,
      default_branch: 'main',
      wiki_branch: 'main',
      object_format: format,
      storage,
      units: DEFAULT_UNITS.normal,
      created_at: 1,
      updated_at: 1,
      ...(values as object),
    }),
  )
  return { id, name, path: server.app.git.path(storage) }
}

const host = () => server.url.slice('http://'.length)
export const as = (person: Person | undefined, owner: Person, name: string, password = PASSWORD): string =>
  `http://${person ? `${person.name}:${encodeURIComponent(password)}@` : ''}${host()}/${owner.name}/${name}.git`

export async function work(name: string): Promise<string> {
  const path = join(dir.path, `${name}-${next()}`)
  await git(dir.path, ['init', '-q', '-b', 'main', path])
  await commit(path, 'first')
  return path
}

export async function commit(path: string, file: string): Promise<string> {
  writeFileSync(join(path, file), `${file} ${next()}\n`)
  await git(path, ['add', '.'])
  await git(path, ['commit', '-qm', file])
  return git(path, ['rev-parse', 'HEAD'])
}

export const repoRow = (id: number) => row(server, 'repo', { id })
