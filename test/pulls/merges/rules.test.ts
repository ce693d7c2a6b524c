import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProcess } from '../../../src/core/platform/process/process.ts'
import { hasProgram } from '../../harness/gpg.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'

type Files = Readonly<Record<string, string>>

const dir = tempDir()
afterAll(() => dir.remove())
let count = 0

/** A new repository of ann's that wes can write, and a clone for commits with given files. */
async function workshop(server: TestServer, ann: Person, wes: Person) {
  const name = `r${++count}`
  await server.world.repo({ owner: ann, name, defaultBranch: 'main' })
  await ann.client.put(`/repos/ann/${name}/collaborators/wes`, { permission: 'write' })
  const work = join(dir.path, name)
  await git(dir.path, ['init', '-q', '-b', 'work', work])
  let seconds = 1_700_000_000
  const remote = `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/${name}.git`
  return {
    name,
    /** Creates a commit with exactly these files, later than all earlier ones. */
    async commit(files: Files, ...parents: string[]): Promise<string> {
      await git(work, ['read-tree', '--empty'])
      for (const [path, text] of Object.entries(files)) {
        const blob = await git(work, ['hash-object', '-w', '--stdin'], { input: text })
        await git(work, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`])
      }
      const tree = await git(work, ['write-tree'])
      const date = `${(seconds += 60)} +0000`
      const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      return git(work, ['commit-tree', tree, ...parents.flatMap((oid) => ['-p', oid]), '-m', `commit ${seconds}`], {
        env,
      })
    },
    async push(branches: Readonly<Record<string, string>>): Promise<void> {
      const refs = Object.entries(branches).map(([branch, oid]) => `${oid}:refs/heads/${branch}`)
      await git(work, ['push', '-q', remote, ...refs])
    },
    async pull(head: string, base = 'main'): Promise<number> {
      const answer = await wes.client.post(`/repos/ann/${name}/pulls`, { head, base, title: head })
      expect(answer.status, answer.text).toBe(201)
      return answer.json.number
    },
    async protect(rule: Readonly<Record<string, unknown>>): Promise<void> {
      const answer = await ann.client.post(`/repos/ann/${name}/branch_protections`, { enable_push: true, ...rule })
      expect(answer.status, answer.text).toBe(201)
    },
    tip: async (branch: string): Promise<string> =>
      (await ann.client.get(`/repos/ann/${name}/branches/${branch}`)).json.commit.id,
    async merge(number: number, Do: string, body: Readonly<Record<string, unknown>> = {}, by = wes) {
      const { status, json } = await by.client.post(`/repos/ann/${name}/pulls/${number}/merge`, { Do, ...body })
      return [status, json?.message]
    },
    update: async (number: number, style: string): Promise<number> =>
      (await wes.client.post(`/repos/ann/${name}/pulls/${number}/update?style=${style}`)).status,
  }
}

const CHANGED = [422, 'Changed protected files']

describe('the rule of a branch', () => {
  let server: TestServer
  let ann: Person
  let wes: Person
  let bob: Person
  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    wes = await server.world.user('wes')
    bob = await server.world.user('bob')
  })
  afterAll(() => server.close())
  const open = () => workshop(server, ann, wes)

  it('protects its files and requires signatures when the branch is a head that is updated', async () => {
    const repo = await open()
    const root = await repo.commit({ 'lock.txt': 'one\n' })
    const main = await repo.commit({ 'lock.txt': 'one\n', 'main.txt': 'm\n' }, root)
    const evil = await repo.commit({ 'lock.txt': 'two\n' }, root)
    const plain = await repo.commit({ 'lock.txt': 'one\n', 'plain.txt': 'p\n' }, root)
    await repo.push({ main, evil, plain })
    await repo.protect({ rule_name: 'main', protected_file_patterns: 'lock.txt', enable_force_push: true })
    const number = await repo.pull('main', 'evil')
    expect(await repo.update(number, 'merge')).toBe(403)
    expect(await repo.update(number, 'rebase')).toBe(403)
    expect(await repo.tip('main')).toBe(main)
    const other = await repo.pull('main', 'plain')
    const rule = `/repos/ann/${repo.name}/branch_protections/main`
    await ann.client.patch(rule, { require_signed_commits: true })
    expect(await repo.update(other, 'merge')).toBe(403)
    expect(await repo.update(other, 'rebase')).toBe(403)
    expect(await repo.tip('main')).toBe(main)
    await ann.client.patch(rule, { require_signed_commits: false })
    expect(await repo.update(other, 'merge')).toBe(200)
    expect(await repo.tip('main')).not.toBe(main)
  })

  it('protects files that a merge changes even if the diff from one of several merge bases hides it', async () => {
    const repo = await open()
    const [before, after] = ['one\n', 'two\n']
    const owners = { CODEOWNERS: 'lock.* @bob\n' }
    const root = await repo.commit({ ...owners, 'lock.txt': before })
    const locked = await repo.commit({ ...owners, 'lock.txt': after }, root)
    const side = await repo.commit({ ...owners, 'lock.txt': before, 'side.txt': 's\n' }, root)
    const main = await repo.commit({ ...owners, 'lock.txt': after, 'side.txt': 's\n' }, locked, side)
    // The head merges the same two commits and reverts the change of the file.
    const head = await repo.commit({ ...owners, 'lock.txt': before, 'side.txt': 's\n', 'new.txt': 'n\n' }, side, locked)
    await repo.push({ main, head })
    await ann.client.put(`/repos/ann/${repo.name}/collaborators/bob`, { permission: 'write' })
    const number = await repo.pull('head')
    const path = `/repos/ann/${repo.name}/pulls/${number}`
    const shown = await wes.client.get(`${path}/files`)
    expect(shown.json.map(({ filename }: { filename: string }) => filename)).toEqual(['new.txt'])
    await repo.protect({ rule_name: 'main', protected_file_patterns: 'lock.txt' })
    const preview = await wes.client.get(`${path}/merge/preview`)
    expect(preview.json.refusals).toEqual(['Changed protected files'])
    expect(await repo.merge(number, 'merge')).toEqual(CHANGED)
    expect(await repo.merge(number, 'squash', { force_merge: true })).toEqual(CHANGED)
    expect(await repo.tip('main')).toBe(main)
    await server.drain()
    const { requested_reviewers: asked } = (await wes.client.get(path)).json
    expect(asked.map(({ login }: { login: string }) => login)).toEqual([bob.name])
    expect((await repo.merge(number, 'merge', { force_merge: true }, ann))[0]).toBe(200)
  })

  it('marks approvals as stale even if the diff from one of several merge bases hides the change', async () => {
    const repo = await open()
    const [before, after] = ['one\n', 'two\n']
    const root = await repo.commit({ 'lock.txt': before })
    const locked = await repo.commit({ 'lock.txt': after }, root)
    const side = await repo.commit({ 'lock.txt': before, 'side.txt': 's\n' }, root)
    const main = await repo.commit({ 'lock.txt': after, 'side.txt': 's\n' }, locked, side)
    const seen = await repo.commit({ 'lock.txt': before, 'side.txt': 's\n', 'new.txt': 'n\n' }, side)
    const hidden = await repo.commit({ 'lock.txt': before, 'side.txt': 's\n', 'new.txt': 'n\n' }, seen, locked)
    await repo.push({ main, head: seen })
    await repo.protect({ rule_name: 'main', required_approvals: 1, dismiss_stale_approvals: true })
    const number = await repo.pull('head')
    const review = { event: 'APPROVED', body: 'good' }
    expect((await ann.client.post(`/repos/ann/${repo.name}/pulls/${number}/reviews`, review)).status).toBe(200)
    await repo.push({ head: hidden })
    expect(await repo.merge(number, 'merge')).toEqual([422, 'Does not have enough approvals'])
  })

  it('protects files that a rebase changes and a merge does not', async () => {
    const repo = await open()
    const root = await repo.commit({ 'lock.txt': 'one\n' })
    const main = await repo.commit({ 'lock.txt': 'two\n' }, root)
    const there = await repo.commit({ 'lock.txt': 'two\n', 'new.txt': 'n\n' }, root)
    const back = await repo.commit({ 'lock.txt': 'one\n', 'new.txt': 'n\n' }, there)
    await repo.push({ main, back })
    await repo.protect({ rule_name: 'main', protected_file_patterns: 'lock.txt' })
    const number = await repo.pull('back')
    expect(await repo.merge(number, 'rebase')).toEqual(CHANGED)
    expect(await repo.tip('main')).toBe(main)
    expect((await repo.merge(number, 'merge'))[0]).toBe(200)
  })
})

describe.skipIf(!hasProgram('ssh-keygen', '-?'))('a branch with signed commits of a server that signs', () => {
  it('refuses unsigned commits by a merge, and accepts commits that the server rewrites', async () => {
    const key = join(dir.path, 'key')
    expect((await runProcess('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key])).code).toBe(0)
    const server = await startServer({ settings: { 'signing.key': key } })
    try {
      const [ann, wes] = [await server.world.user('ann'), await server.world.user('wes')]
      const repo = await workshop(server, ann, wes)
      const main = await repo.commit({ 'a.txt': 'a\n' })
      const one = await repo.commit({ 'a.txt': 'a\n', 'one.txt': '1\n' }, main)
      const two = await repo.commit({ 'a.txt': 'a\n', 'two.txt': '2\n' }, main)
      await repo.push({ main, one, two })
      await repo.protect({ rule_name: 'main', require_signed_commits: true })
      const [first, second] = [await repo.pull('one'), await repo.pull('two')]
      const unsigned = `wont sign: the head has the unverified commit ${one}`
      expect(await repo.merge(first, 'merge')).toEqual([422, unsigned])
      expect(await repo.merge(first, 'merge', { force_merge: true }, ann)).toEqual([422, unsigned])
      expect(await repo.merge(first, 'merge', { queue: true })).toEqual([422, unsigned])
      // The commit is already upon the base: a rebase does not rewrite it.
      const kept = `PushRejected with remote message: branch main is protected from unverified commit ${one}`
      expect(await repo.merge(first, 'rebase')).toEqual([409, kept])
      expect(await repo.tip('main')).toBe(main)
      expect((await repo.merge(first, 'squash'))[0]).toBe(200)
      expect((await repo.merge(second, 'rebase'))[0]).toBe(200)
    } finally {
      await server.close()
    }
  })
})
