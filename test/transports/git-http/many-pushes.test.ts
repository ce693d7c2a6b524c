import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { oracle } from '../../core/git/fixture.ts'
import { git, tempDir, tryGit } from '../../core/git/wire/client.ts'

const CLIENTS = Array.from({ length: 10 }, (_, at) => at)

const dir = tempDir()
let server: TestServer
let ann: Person
beforeAll(async () => {
  server = await startServer()
  ann = await server.world.user('ann')
})
afterAll(async () => {
  await server.close()
  dir.remove()
})

/** A clone with one commit that no other clone has. */
async function cloneAndCommit(repo: Repo, at: number): Promise<string> {
  const work = join(dir.path, `${repo.name}-${at}`)
  await git(dir.path, [
    'clone',
    '-q',
    `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/${repo.fullName}.git`,
    work,
  ])
  writeFileSync(join(work, `file-${at}`), `${at}\n`)
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', `commit ${at}`])
  return work
}

/** Pushes until it is accepted, as people do; gives the errors of the refused attempts. */
async function pushUntilTaken(work: string): Promise<string[]> {
  const refusals: string[] = []
  for (;;) {
    const { code, stderr } = await tryGit(work, ['push', '-q', 'origin', 'HEAD:main'])
    if (code === 0) return refusals
    refusals.push(stderr)
    if (refusals.length > CLIENTS.length) throw new Error(`never taken: ${stderr}`)
    await git(work, ['pull', '-q', '--rebase', 'origin', 'main'])
  }
}

const subjects = (repo: Repo): string[] =>
  oracle(server.app.git.path(repo.storage), ['log', '--format=%s', 'main']).split('\n')

describe('ten pushes at once', () => {
  it('to one branch are all accepted eventually, and outdated ones are refused with `fetch first`', async () => {
    const repo = await server.world.repo({ owner: ann, name: 'one', autoInit: true, defaultBranch: 'main' })
    const works = await Promise.all(CLIENTS.map((at) => cloneAndCommit(repo, at)))
    const refusals = (await Promise.all(works.map(pushUntilTaken))).flat()
    expect(refusals.length).toBeGreaterThan(0)
    expect(
      refusals.filter((text) => !/fetch first|non-fast-forward|failed to update ref|cannot lock ref|moved/.test(text)),
    ).toEqual([])
    expect(subjects(repo).toSorted()).toEqual(['Initial commit', ...CLIENTS.map((at) => `commit ${at}`)].toSorted())
    const tip = oracle(server.app.git.path(repo.storage), ['rev-parse', 'main'])
    const { read } = server.app.database
    expect(await read.selectFrom('branch').select(['name', 'oid']).where('repo_id', '=', repo.id).execute()).toEqual([
      { name: 'main', oid: tip },
    ])
    expect(await server.app.pushes.reconcile(repo.id)).toBe(false)
    oracle(server.app.git.path(repo.storage), ['fsck', '--strict'])
  }, 60_000)

  it('to ten repositories are all accepted at the first attempt', async () => {
    const repos = await Promise.all(
      CLIENTS.map((at) =>
        server.world.repo({ owner: ann, name: `of-ten-${at}`, autoInit: true, defaultBranch: 'main' }),
      ),
    )
    const works = await Promise.all(repos.map((repo, at) => cloneAndCommit(repo, at)))
    expect((await Promise.all(works.map(pushUntilTaken))).flat()).toEqual([])
    for (const [at, repo] of repos.entries()) expect(subjects(repo)).toEqual([`commit ${at}`, 'Initial commit'])
  }, 60_000)
})
