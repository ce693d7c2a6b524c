import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GIT_ENV } from '../harness/git-env.ts'
import { runChecks } from '../../src/app/doctor.ts'
import type { Repo } from '../../src/domains/repositories/index.ts'
import type { Finding } from '../../src/core/module.ts'
import { runCommand, serveHere, temporaryFolder, type Folder } from '../harness/process.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'

const run = promisify(execFile)
const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (
    await run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args], { cwd, env: GIT_ENV })
  ).stdout.trim()

let server: TestServer
let alice: Person
let folder: Folder
beforeAll(async () => {
  folder = temporaryFolder()
  server = await startServer({ tuning: { recheckMs: 0 } })
  alice = await server.world.user('alice')
})
afterAll(async () => {
  await server.close()
  folder.remove()
})

async function examine(options: { fix?: boolean; quick?: boolean } = {}): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const result of runChecks(server.app.checks, { fix: false, quick: false, ...options }))
    findings.push(...result.findings)
  return findings
}

const makeRepo = (name: string): Promise<Repo> => server.world.repo({ owner: alice, name, autoInit: true })
const pathOf = (repo: Repo): string => server.app.git.path(repo.storage)

describe('doctor', () => {
  it('finds nothing on a healthy server', async () => {
    const bob = await server.world.user('bob')
    const repo = await makeRepo('healthy')
    expect((await bob.client.put(`/user/starred/alice/${repo.name}`)).status).toBe(204)
    expect((await bob.client.put(`/repos/alice/${repo.name}/subscription`)).status).toBe(200)
    expect((await bob.client.put('/user/following/alice')).status).toBe(204)
    expect((await bob.client.post(`/repos/alice/${repo.name}/forks`, {})).status).toBe(202)
    await server.drain()
    expect(await examine()).toEqual([])
  })

  it('recounts wrong counters', async () => {
    await server.app.database.transaction(async (tx) => {
      await tx.updateTable('user').set({ followers_count: 7 }).where('lower_name', '=', 'alice').execute()
      await tx
        .updateTable('repo')
        .set({ stars_count: 5, watchers_count: 9 })
        .where('lower_name', '=', 'healthy')
        .where('is_fork', '=', 0)
        .execute()
    })
    const texts = (await examine()).map(({ what, state }) => `${state} ${what}`)
    expect(texts).toHaveLength(3)
    expect(texts).toContainEqual(expect.stringMatching(/^problem user \d+: followers_count says 7, there are 1$/))
    expect((await examine({ fix: true })).map(({ state }) => state)).toEqual(['fixed', 'fixed', 'fixed'])
    expect(await examine()).toEqual([])
  })

  it('sees refs and HEAD that moved without a record, and follows them', async () => {
    const repo = await makeRepo('drifted')
    await git(pathOf(repo), 'update-ref', 'refs/heads/other', 'refs/heads/main')
    await git(pathOf(repo), 'symbolic-ref', 'HEAD', 'refs/heads/other')
    expect(await examine()).toEqual([
      { what: 'alice/drifted: refs/heads/other moved without a record', state: 'problem' },
      { what: 'alice/drifted: HEAD is not the default branch main', state: 'problem' },
    ])
    expect(await examine({ fix: true })).toEqual([
      { what: 'alice/drifted: rows and HEAD follow the refs on disk again', state: 'fixed' },
    ])
    expect(await examine()).toEqual([])
    expect(await git(pathOf(repo), 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect((await alice.client.get('/repos/alice/drifted/branches/other')).status).toBe(200)
  })

  it('finds large files and attachments that are lost, cut short or damaged', async () => {
    const repo = await makeRepo('files')
    const path = `/repos/alice/${repo.name}`
    const attributes = {
      operation: 'create',
      path: '.gitattributes',
      content: Buffer.from('*.bin filter=lfs\n').toString('base64'),
    }
    const names = ['lost', 'short', 'damaged', 'whole']
    const files = names.map((name) => ({
      operation: 'create',
      path: `${name}.bin`,
      content: Buffer.from(`bytes of ${name}`).toString('base64'),
    }))
    const made = await alice.client.post(`${path}/contents`, { files: [attributes, ...files] })
    const oids = made.json.files.slice(1).map((file: { lfs_oid: string }) => file.lfs_oid) as string[]
    const release = await alice.client.post(`${path}/releases`, { tag_name: 'v1' })
    const form = new FormData()
    form.set('attachment', new Blob(['notes']), 'notes.txt')
    const uploaded = await fetch(`${server.url}/api/v1${path}/releases/${release.json.id}/assets`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Basic ${Buffer.from(`alice:${PASSWORD}`).toString('base64')}` },
    })
    expect(uploaded.status).toBe(201)
    await server.drain()
    expect(await examine()).toEqual([])

    const stored = (store: string, oid: string): string =>
      join(server.dataDir, 'blobs', store, oid.slice(0, 2), oid.slice(2, 4), oid)
    rmSync(stored('lfs', oids[0]!))
    writeFileSync(stored('lfs', oids[1]!), 'bytes')
    writeFileSync(stored('lfs', oids[2]!), 'bytes of dAmaged')
    const notes = createHash('sha256').update('notes').digest('hex')
    rmSync(stored('attachments', notes))
    const found = (await examine({ fix: true })).map(({ what }) => what)
    expect(found).toEqual([
      `alice/files: large file ${oids[0]} is missing: restore ${oids[0]} from a backup`,
      `alice/files: large file ${oids[1]} has 5 bytes of 14: restore ${oids[1]} from a backup`,
      `alice/files: large file ${oids[2]} is damaged: restore ${oids[2]} from a backup`,
      `alice/files: attachment notes.txt is missing: restore ${notes} from a backup`,
    ])
    expect(await examine({ quick: true })).toHaveLength(3)
    expect((await alice.client.delete(path)).status).toBe(204)
    await server.drain()
    expect(await examine()).toEqual([])
  })

  it('looks into wikis', async () => {
    const repo = await makeRepo('with-wiki')
    expect(
      (
        await alice.client.post(`/repos/alice/${repo.name}/wiki/new`, {
          title: 'Home',
          content_base64: 'aGk=',
          message: 'first',
        })
      ).status,
    ).toBe(201)
    expect(await examine()).toEqual([])
    const wiki = server.app.git.path(`${repo.storage}.wiki`)
    const blob = await git(wiki, 'rev-parse', 'HEAD:Home.md')
    rmSync(join(wiki, 'objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    const texts = (await examine()).map(({ what, state }) => `${state} ${what}`)
    expect(texts).toContainEqual(expect.stringMatching(new RegExp(`^problem alice/with-wiki wiki: .*${blob}`)))
    expect((await alice.client.delete('/repos/alice/with-wiki')).status).toBe(204)
  })

  it('finds lost and damaged objects, missing and stray directories, and leaves them to the operator', async () => {
    const lost = await makeRepo('lost')
    const blob = await git(pathOf(lost), 'rev-parse', 'main:README.md')
    rmSync(join(pathOf(lost), 'objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    const missing = await makeRepo('missing')
    rmSync(pathOf(missing), { recursive: true })
    const stray = join(server.dataDir, 'git/repos/zz/zzzzzz.git')
    mkdirSync(stray, { recursive: true })
    for (const options of [{ quick: true }, { fix: true }]) {
      const texts = (await examine(options)).map(({ what, state }) => `${state} ${what}`)
      expect(texts).toContainEqual(expect.stringMatching(new RegExp(`^problem alice/lost: .*${blob}`)))
      expect(texts).toContainEqual(expect.stringMatching(/^problem alice\/missing: its directory .* is missing/))
      expect(texts).toContainEqual('note zz/zzzzzz.git: belongs to no repository')
    }
    expect(readdirSync(stray)).toEqual([])
    for (const repo of ['lost', 'missing']) expect((await alice.client.delete(`/repos/alice/${repo}`)).status).toBe(204)
    rmSync(stray, { recursive: true })
  })
})

describe('backup', () => {
  it('made while pushes go on is a whole server', async () => {
    const busy = await makeRepo('busy')
    const fork = await server.world.user('carol')
    expect((await fork.client.post('/repos/alice/busy/forks', {})).status).toBe(202)
    const work = join(folder.path, 'work')
    const url = `${server.url.replace('//', `//alice:${encodeURIComponent(PASSWORD)}@`)}/alice/busy.git`
    await git(folder.path, 'clone', '-q', url, work)
    // The copy gets no jobs of earlier tests, which the restored server may have no time to run.
    await server.drain()
    let pushing = true
    const pushes = (async () => {
      for (let i = 0; pushing; i++) {
        writeFileSync(join(work, `file-${i}`), String(i))
        await git(work, 'add', '.')
        await git(work, 'commit', '-qm', `commit ${i}`)
        await git(work, 'push', '-q')
      }
    })()
    const copy = join(folder.path, 'copy')
    const made = await runCommand(['backup', '--data-dir', server.dataDir, '--to', copy])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/^Copied \d+ files, [\d.]+ MB\. To use the copy: ingot serve --data-dir /)
    pushing = false
    await pushes
    expect(JSON.parse(readFileSync(join(copy, 'backup.json'), 'utf8'))).toMatchObject({ database: true })

    const restored = await serveHere(copy)
    try {
      const clone = join(folder.path, 'clone')
      await git(folder.path, 'clone', '-q', `${restored.url}/alice/busy.git`, clone)
      expect(Number(await git(clone, 'rev-list', '--count', 'HEAD'))).toBeGreaterThan(0)
      await git(folder.path, 'clone', '-q', `${restored.url}/carol/busy.git`, `${clone}-fork`)
      await git(work, 'fetch', '-q')
      await git(work, 'merge-base', '--is-ancestor', await git(clone, 'rev-parse', 'HEAD'), 'HEAD')
    } finally {
      await restored.stop()
    }
    expect(await runCommand(['doctor', '--fix', '--data-dir', copy])).toMatchObject({ code: 0 })
    const checked = await runCommand(['doctor', '--data-dir', copy])
    expect(checked.stdout).toBe(
      'database: ok\ncounters: ok\nrepositories: ok\nfiles: ok\npull requests: ok\nnodes: ok\npermissions: ok\njobs: ok\nNothing is wrong.\n',
    )
    expect(busy.name).toBe('busy')
  })

  it('never writes into a directory that is not empty', async () => {
    expect(await runCommand(['backup', '--data-dir', server.dataDir, '--to', folder.path])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    })
    expect(await runCommand(['doctor', '--fix', '--data-dir', server.dataDir])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another Ingot process is using'),
    })
  })
})
