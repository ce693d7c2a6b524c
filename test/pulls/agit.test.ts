import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asId, type RepoId } from '../../src/core/platform/crypto/ids.ts'
import type { Any } from '../harness/client.ts'
import { startSshFixture, type SshFixture, type SshKey } from '../transports/git-ssh/fixture.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { git, tempDir, tryGit } from '../core/git/wire/client.ts'

const dir = tempDir()
let ssh: SshFixture
let alice: Person
let bob: Person
let bobs: SshKey
let work: string

beforeAll(async () => {
  ssh = await startSshFixture()
  alice = await ssh.server.world.user('alice')
  bob = await ssh.server.world.user('Bob')
  bobs = await ssh.keyOf(bob)
  await ssh.server.world.repo({ owner: alice, name: 'tool', autoInit: true })
  work = join(dir.path, 'work')
  await git(dir.path, ['clone', '-q', url(alice), work])
})
afterAll(async () => {
  await ssh.close()
  dir.remove()
})

const url = (person: Person, name = 'tool') =>
  `${ssh.server.url.replace('://', `://${person.name}:${encodeURIComponent(PASSWORD)}@`)}/alice/${name}.git`
const push = (ref: string, ...options: string[]) =>
  tryGit(work, ['push', ...options.flatMap((option) => ['-o', option]), url(bob), `HEAD:${ref}`])
let files = 0
async function commit(message: string): Promise<string> {
  writeFileSync(join(work, `file-${files++}`), 'x')
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', message])
  return git(work, ['rev-parse', 'HEAD'])
}
const refs = () => git(work, ['ls-remote', url(alice), 'refs/pull/*'])
const findRepo = async (): Promise<RepoId> => asId((await alice.client.get('/repos/alice/tool')).json.id)
const shown = async (number: number): Promise<Any> => (await alice.client.get(`/repos/alice/tool/pulls/${number}`)).json
const count = async (): Promise<number> =>
  (await alice.client.get('/repos/alice/tool/pulls?limit=1')).headers.get('x-total-count') as unknown as number

describe('a push to refs/for', () => {
  it('by a reader creates a pull request, which the next push updates', async () => {
    const tip = await commit('Add a file\n\nIt was missing.')
    const first = await push('refs/for/main/topic')
    expect(first).toMatchObject({ code: 0 })
    expect(first.stderr).toContain('HEAD -> refs/pull/1/head')
    expect(first.stderr).toMatch(/Visit the new pull request:\s*\nremote: {3}http.*\/alice\/tool\/pulls\/1/)
    expect(await shown(1)).toMatchObject({
      user: { login: 'Bob' },
      title: 'Add a file',
      body: 'It was missing.\n',
      flow: 1,
      base: { ref: 'main' },
      head: { label: '', ref: 'refs/pull/1/head', sha: tip, repo: { full_name: 'alice/tool' } },
    })
    expect(await refs()).toBe(`${tip}\trefs/pull/1/head`)
    expect((await push('refs/for/main/topic')).stderr).toContain('new commit is same with old commit')
    const next = await commit('More')
    expect((await push('refs/for/main', 'topic=topic')).stderr).toContain('Visit the existing pull request:')
    expect(await shown(1)).toMatchObject({ title: 'Add a file', body: 'It was missing.\n', head: { sha: next } })
    expect(await refs()).toBe(`${next}\trefs/pull/1/head`)
  })

  it('drops commits only when force-push is set', async () => {
    await git(work, ['reset', '-q', '--hard', 'HEAD~1'])
    await commit('Instead')
    expect((await push('refs/for/main/topic')).stderr).toContain('request `force-push` push option')
    const title = `title={base64}${Buffer.from('Grüße').toString('base64')}`
    expect((await push('refs/for/main/topic', 'force-push=true', title)).code).toBe(0)
    expect(await shown(1)).toMatchObject({ title: 'Grüße' })
  })

  it('works over SSH, too', async () => {
    const tip = await commit('One line')
    const answer = await ssh.tryGit(work, bobs, 'push', ssh.url('alice/tool'), 'HEAD:refs/for/main/by-ssh')
    expect(answer).toMatchObject({ code: 0 })
    expect(answer.stderr).toContain('refs/pull/2/head')
    expect(await shown(2)).toMatchObject({ title: 'One line', body: 'One line', head: { sha: tip } })
  })

  it('does not change the pull request of a branch with the same name', async () => {
    await git(work, ['push', '-q', url(alice), 'HEAD:refs/heads/bob/named'])
    const body = { head: 'bob/named', base: 'main', title: 'Of a branch' }
    const { json } = await alice.client.post('/repos/alice/tool/pulls', body)
    await commit('Of a topic')
    const pushed = await push('refs/for/main/named')
    expect(pushed.stderr).toContain('Visit the new pull request:')
    expect((await shown(json.number)).head).toMatchObject({ label: 'bob/named', sha: json.head.sha })
    expect((await alice.client.patch(`/repos/alice/tool/pulls/${json.number}`, { state: 'closed' })).status).toBe(201)
    expect((await alice.client.post('/repos/alice/tool/pulls', body)).status).toBe(201)
  })

  it('does not move the pull request of a former owner of the login', async () => {
    const root = await ssh.server.world.admin()
    const as = (login: string) => url(bob).replace('//Bob:', `//${login}:`)
    const rename = async (from: string, to: string) =>
      expect((await root.client.post(`/admin/users/${from}/rename`, { new_username: to })).status).toBe(204)
    for (const name of ['cora', 'dora']) await ssh.server.world.user(name)
    await commit('Of the first')
    expect((await tryGit(work, ['push', as('cora'), 'HEAD:refs/for/main/mine'])).code).toBe(0)
    await rename('cora', 'nora')
    await rename('dora', 'cora')
    await commit('Of the second')
    const pushed = await tryGit(work, ['push', as('cora'), 'HEAD:refs/for/main/mine'])
    expect(pushed.stderr).toContain('the topic belongs to another account')
  })

  it.each([
    ['that is too long for an index', 'x'.repeat(300)],
    ['with control characters', 'a\u0007b'],
    ['with the zero byte', `{base64}${Buffer.from('a\0b').toString('base64')}`],
  ])('is refused for a topic %s', async (_, topic) => {
    const before = await count()
    expect((await push('refs/for/main', `topic=${topic}`)).stderr).toContain(
      'the topic must have no control characters',
    )
    expect(await count()).toBe(before)
  })

  it('strips zero bytes from a description that comes from a commit message', async () => {
    await commit('Odd')
    const text = Buffer.from('a\0b').toString('base64')
    const pushed = await push('refs/for/main/odd', `title={base64}${text}`, `description={base64}${text}`)
    const number = Number(/pulls\/(\d+)/.exec(pushed.stderr)?.[1])
    expect(await shown(number)).toMatchObject({ title: 'ab', body: 'ab' })
  })

  it('is refused for an account that the owner blocks, before any ref moves', async () => {
    await commit('Blocked')
    expect((await alice.client.put('/user/blocks/Bob')).status).toBe(204)
    const before = await refs()
    expect((await push('refs/for/main/blocked')).stderr).toContain('blocked')
    expect((await push('refs/for/main/by-ssh', 'force-push=true')).stderr).toContain('blocked')
    expect(await refs()).toBe(before)
    expect((await alice.client.delete('/user/blocks/Bob')).status).toBe(204)
  })

  it('is refused with a reason for each ref, and moves no ref then', async () => {
    await commit('Never taken')
    const before = await refs()
    expect((await push('refs/for/main')).stderr).toContain('topic-branch is not set')
    expect((await push('refs/for/nowhere/topic')).stderr).toContain('base-branch does not exist')
    expect((await tryGit(work, ['push', url(bob), ':refs/for/main/topic'])).code).not.toBe(0)
    expect(await refs()).toBe(before)
    await ssh.server.world.repo({ owner: alice, name: 'void' })
    const empty = await tryGit(work, ['push', url(bob, 'void'), 'HEAD:refs/for/main/x'])
    expect(empty.stderr).toContain("Can't create pull request for an empty repository.")
  })

  it('requires write permission for other refs of the same push', async () => {
    const both = await tryGit(work, ['push', url(bob), 'HEAD:refs/for/main/x', 'HEAD:refs/heads/x'])
    expect(both.stderr).toContain('User permission denied for writing.')
    expect(both.stderr).not.toContain('Visit the new pull request')
  })

  it('is refused for deploy keys', async () => {
    await commit('By a key')
    const repo = await findRepo()
    const key = await ssh.deployKey(repo, { readOnly: false })
    const answer = await ssh.tryGit(work, key, 'push', ssh.url('alice/tool'), 'HEAD:refs/for/main/by-key')
    expect(answer.stderr).toContain('pull requests are not open to you')
  })

  it('is refused in an archived repository', async () => {
    expect((await alice.client.patch('/repos/alice/tool', { archived: true })).status).toBe(200)
    const before = await refs()
    expect((await push('refs/for/main/archived')).code).not.toBe(0)
    expect(await refs()).toBe(before)
    expect((await alice.client.patch('/repos/alice/tool', { archived: false })).status).toBe(200)
  })
})

it('a push to a branch with an open pull request prints its address', async () => {
  await git(work, ['push', '-q', url(alice), 'HEAD:refs/heads/known'])
  const { json } = await alice.client.post('/repos/alice/tool/pulls', { head: 'known', base: 'main', title: 'Known' })
  await commit('To both')
  const { stderr } = await tryGit(work, ['push', url(alice), 'HEAD:refs/heads/known', 'HEAD:refs/heads/unknown'])
  expect(stderr).toMatch(new RegExp(`Visit the existing pull request:\\s*\\nremote: {3}http.*/pulls/${json.number}\\s`))
  expect(stderr).toContain("Create a new pull request for 'unknown':")
})
