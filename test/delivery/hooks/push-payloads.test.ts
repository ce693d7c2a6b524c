import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestMessages } from '../../../src/domains/delivery/hooks/payloads/message-builders.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tempDir } from '../../core/git/wire/client.ts'
import { createMessages, type Messages, namesOf, type SentMessage } from './messages.ts'

/** Characters of the paths of all messages of a push. */
const MAX_PATHS_LENGTH = 512 * 1024
const ZERO = '0'.repeat(40)
const ALL = { admin: true, push: true, pull: true }
const NOTHING = { admin: false, push: false, pull: false }

describe('payloads of pushes', () => {
  let server: TestServer
  let ann: Person
  let messages: Messages
  let folder: ReturnType<typeof tempDir>

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    await server.world.repo({ owner: ann, name: 'r', autoInit: true })
    await server.world.repo({ owner: ann, name: 'void' })
    messages = createMessages(server)
    await messages.take()
    folder = tempDir()
    await run('clone', '-q', remote('r'), '.')
  })
  afterAll(async () => {
    folder.remove()
    await server.close()
  })

  const remote = (name: string): string =>
    `${server.url.replace('//', `//ann:${encodeURIComponent(PASSWORD)}@`)}/ann/${name}.git`
  const run = (...args: string[]): Promise<string> => git(folder.path, args)
  const head = async (revision = 'HEAD'): Promise<string> => (await run('rev-parse', revision)).trim()
  const commit = async (message: string): Promise<string> => {
    await run('commit', '-q', '--allow-empty', '-m', message)
    return head()
  }
  const summary = ({ eventType, payload: { ref, total_commits: total = '-' } }: SentMessage): string =>
    `${eventType} ${ref} ${total}`

  it('contain the commits with their changed files, newest first', async () => {
    const before = await head()
    for (const path of ['a.txt', 'b.txt']) {
      const content = Buffer.from(path).toString('base64')
      await ann.client.post(`/repos/ann/r/contents/${path}`, { content, message: `Add ${path}\n\nBecause.` })
    }
    await messages.take()
    await run('pull', '-q')
    const first = await head()
    await run('rm', '-q', 'a.txt')
    await run('commit', '-q', '-m', 'Delete a')
    await run('push', '-q', 'origin', 'main')
    const after = await head()
    const [message] = await messages.take()
    const { payload, ...names } = message!
    expect(names).toEqual({ event: 'push', eventType: 'push', branch: 'refs/heads/main' })
    expect(Object.keys(payload)).toEqual([
      'ref',
      'before',
      'after',
      'compare_url',
      'commits',
      'total_commits',
      'head_commit',
      'repository',
      'pusher',
      'sender',
    ])
    expect(payload).toMatchObject({
      ref: 'refs/heads/main',
      before: first,
      after,
      compare_url: `${server.url}/ann/r/compare/${first}...${after}`,
      total_commits: 1,
      repository: { full_name: 'ann/r', default_branch: 'main', permissions: ALL },
      pusher: { login: 'ann' },
      sender: { login: 'ann' },
    })
    expect(payload.head_commit).toEqual(payload.commits[0])
    expect(payload.commits[0]).toMatchObject({
      id: after,
      message: 'Delete a\n',
      url: `${server.url}/ann/r/commit/${after}`,
      verification: null,
      added: [],
      removed: ['a.txt'],
      modified: [],
    })
    expect(before).not.toBe(first)
  })

  it('name the author by the account of its address', async () => {
    const content = Buffer.from('c').toString('base64')
    await ann.client.post('/repos/ann/r/contents/c.txt', { content, message: 'Add c' })
    const [message] = await messages.take()
    expect(message!.payload.commits[0]).toMatchObject({
      author: { name: 'ann', username: 'ann' },
      committer: { username: 'ann' },
      message: 'Add c\n',
      added: ['c.txt'],
    })
    await run('pull', '-q')
  })

  it('list five commits and count all', async () => {
    const before = await head()
    for (let n = 0; n < 7; n++) await commit(`Commit ${n}`)
    await run('push', '-q', 'origin', 'main')
    const [message] = await messages.take()
    expect(message!.payload).toMatchObject({ before, total_commits: 7 })
    expect(message!.payload.commits.map((one: { message: string }) => one.message)).toEqual(
      [6, 5, 4, 3, 2].map((n) => `Commit ${n}\n`),
    )
  })

  it('of a new branch come after its creation, with the commits that no other branch has', async () => {
    await run('push', '-q', 'origin', 'main:same')
    const tip = await head()
    const [creation, push] = await messages.take()
    expect(creation).toMatchObject({ event: 'create', branch: 'refs/heads/same' })
    expect(Object.keys(creation!.payload)).toEqual(['sha', 'ref', 'ref_type', 'repository', 'sender'])
    expect(creation!.payload).toMatchObject({ sha: tip, ref: 'same', ref_type: 'branch', sender: { login: 'ann' } })
    expect(creation!.payload.repository.permissions).toEqual(NOTHING)
    expect(push!.payload).toMatchObject({
      ref: 'refs/heads/same',
      before: ZERO,
      after: tip,
      commits: [],
      total_commits: 0,
      head_commit: { id: tip },
      compare_url: `${server.url}/ann/r/compare/main...${tip}`,
    })
    await run('checkout', '-q', '-b', 'topic')
    await commit('On the topic')
    await run('push', '-q', 'origin', 'topic', 'topic:topic2')
    expect((await messages.take()).map(summary)).toEqual([
      'create topic -',
      'push refs/heads/topic 1',
      'create topic2 -',
      'push refs/heads/topic2 0',
    ])
    await run('checkout', '-q', 'main')
  })

  it('of a forced push count the commits that the old tip lacks', async () => {
    await run('checkout', '-q', 'topic')
    await run('commit', '-q', '--amend', '--allow-empty', '-m', 'Amended')
    await run('push', '-q', '--force', 'origin', 'topic')
    const [message] = await messages.take()
    expect(message!.payload).toMatchObject({ total_commits: 1, commits: [{ message: 'Amended\n' }] })
    await run('checkout', '-q', 'main')
  })

  it('of tags come before their creation, with the tagged commit', async () => {
    await run('tag', '-a', '-m', 'One', 'v1')
    await run('push', '-q', 'origin', 'v1')
    const [push, creation] = await messages.take()
    expect(push).toMatchObject({ eventType: 'push', branch: 'refs/tags/v1' })
    expect(push!.payload).toMatchObject({
      ref: 'refs/tags/v1',
      before: ZERO,
      after: await head('v1'),
      commits: [],
      total_commits: 0,
      head_commit: { id: await head('v1^{commit}') },
      compare_url: `${server.url}/`,
    })
    expect(creation!.payload).toMatchObject({ ref: 'v1', ref_type: 'tag', sha: await head('v1^{commit}') })
  })

  it('of deleted tags come before the deletion; deleted branches are only deleted', async () => {
    await run('push', '-q', '--delete', 'origin', 'v1', 'same')
    const found = await messages.take()
    expect(found.map(summary).toSorted()).toEqual(['delete same -', 'delete v1 -', 'push refs/tags/v1 0'])
    const push = found.find(({ eventType }) => eventType === 'push')!
    expect(push.payload).toMatchObject({ after: ZERO, commits: [], head_commit: null })
    const deletion = found.find(({ payload }) => payload.ref === 'same')!
    expect(Object.keys(deletion.payload)).toEqual(['ref', 'ref_type', 'pusher_type', 'repository', 'sender'])
    expect(deletion).toMatchObject({
      branch: 'refs/heads/same',
      payload: { ref_type: 'branch', pusher_type: 'user', repository: { permissions: ALL } },
    })
  })

  it('of a deleted tag say that its release is deleted', async () => {
    await ann.client.post('/repos/ann/r/releases', { tag_name: 'v2', name: 'Two' })
    await messages.take()
    await ann.client.delete('/repos/ann/r/tags/v2').then((answer) => expect(answer.status).toBe(409))
    await run('push', '-q', '--delete', 'origin', 'v2')
    expect(namesOf(await messages.take())).toEqual(['push (push) -', 'delete (delete) -', 'release (release) deleted'])
  })

  it('of the first push have no comparison', async () => {
    await run('push', '-q', remote('void'), 'main')
    const count = Number(await run('rev-list', '--count', 'main'))
    const [creation, push] = await messages.take()
    expect(creation!.payload).toMatchObject({ ref: 'main', repository: { full_name: 'ann/void' } })
    expect(push!.payload).toMatchObject({ compare_url: `${server.url}/`, total_commits: count })
  })

  it('omit refs that are neither branches nor tags', async () => {
    await run('notes', 'add', '-m', 'A note')
    await run('push', '-q', 'origin', 'refs/notes/commits')
    expect(await messages.take()).toEqual([])
  })

  it('of hostile commits are limited in paths and texts', async () => {
    /** Commits of a branch, the oldest first: the lines of each, in the words of git fast-import. */
    const write = (branch: string, ...commits: readonly (readonly string[])[]): void => {
      const input = commits.flatMap((lines, index) => [
        `commit refs/heads/${branch}`,
        `author ${'n'.repeat(2000)} <a@example.org> 1700000000 +0000`,
        'committer c <c@example.org> 1700000000 +0000',
        `data 70000\n${'m'.repeat(70_000)}`,
        ...(index === 0 ? ['from refs/heads/main^0'] : []),
        ...lines,
      ])
      const options = { cwd: folder.path, input: ['blob', 'mark :1', 'data 1', 'x', ...input, ''].join('\n') }
      execFileSync('git', ['fast-import', '--quiet'], options)
    }
    const add = (path: string): string => `M 100644 :1 ${path}`
    const long = (name: string): string[] =>
      Array.from({ length: 600 }, (_, n) => add(`${name}/${`${'p'.repeat(199)}/`.repeat(4)}${'q'.repeat(190)}${n}`))
    const short = Array.from({ length: 1100 }, (_, n) => `s/${n}`)
    const tooLong = add(`${`${'t'.repeat(99)}/`.repeat(42)}t`)
    write('wide', [tooLong, ...long('a')], short.map(add), ['D s'])
    write('wide2', long('b'))
    await run('push', '-q', 'origin', 'wide', 'wide2')
    const pushes = (await messages.take()).flatMap(({ eventType, payload }) => (eventType === 'push' ? payload : []))
    const [removing, adding, first] = pushes[0].commits
    expect([removing.removed, adding.added].map(({ length }) => length)).toEqual([1000, 1000])
    expect([removing.added, removing.modified]).toEqual([[], []])
    expect(first.added.every((path: string) => path.startsWith('a/'))).toBe(true)
    const listed = [...removing.removed, ...adding.added, ...first.added, ...pushes[1].head_commit.added].join('')
    expect(listed.length).toBeLessThanOrEqual(MAX_PATHS_LENGTH)
    expect(listed.length).toBeGreaterThan(MAX_PATHS_LENGTH - 1100)
    expect([first.message, first.author.name].map(({ length }) => length)).toEqual([65_536, 1024])
  })

  it('of a branch with very many others compare with a limited number of them', async () => {
    const tips: string[] = []
    for (let n = 0; n < 210; n++) tips.push(`HEAD~${n % 5}:refs/heads/many/${n}`)
    await run('push', '-q', 'origin', ...tips)
    const sent = await messages.take()
    expect(sent).toHaveLength(400)
    await commit('After many')
    await run('push', '-q', 'origin', 'HEAD:refs/heads/last')
    expect((await messages.take()).map(summary)).toEqual(['create last -', 'push refs/heads/last 1'])
  })

  describe('that are a test', () => {
    const build = async (ref?: string): Promise<SentMessage | undefined> => {
      const repo = await server.app.repos.getById((await ann.client.get('/repos/ann/r')).json.id)
      return createTestMessages(server.app)(repo, ann.user.id, ref) as Promise<SentMessage | undefined>
    }

    it('have the head of the default branch', async () => {
      const tip = (await run('ls-remote', 'origin', 'main')).slice(0, 40)
      const { payload, ...names } = (await build())!
      expect(names).toEqual({ event: 'push', eventType: 'push', branch: 'refs/heads/main' })
      expect(payload).toMatchObject({
        ref: 'refs/heads/main',
        before: tip,
        after: tip,
        total_commits: 1,
        commits: [{ id: tip, added: [], removed: [], modified: [] }],
        head_commit: { id: tip },
        repository: { permissions: NOTHING },
        pusher: { login: 'ann' },
      })
      expect(payload.commits[0].verification).toMatchObject({ verified: false })
    })

    it('have the head of the requested ref, in the requested notation', async () => {
      const tip = (await run('ls-remote', 'origin', 'topic')).slice(0, 40)
      expect(await build('topic')).toMatchObject({
        branch: 'refs/heads/topic',
        payload: { ref: 'topic', after: tip },
      })
      expect(await build('refs/heads/topic')).toMatchObject({ payload: { ref: 'refs/heads/topic', after: tip } })
      expect(await build('missing')).toBeUndefined()
    })
  })
})
