import fs, { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import isomorphicGit from 'isomorphic-git'
import http from 'isomorphic-git/http/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../src/domains/repositories/index.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { git, tempDir } from '../core/git/wire/client.ts'

const AUTHOR = { name: 'Ann', email: 'ann@example.test', timestamp: 1_700_000_000, timezoneOffset: -120 }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('isomorphic-git as a client over HTTP', () => {
  const temp = tempDir()
  let server: TestServer
  let alice: Person
  let token: string
  let repo: Repo
  let url: string
  let dir: string
  let serverPath: string

  beforeAll(async () => {
    server = await startServer()
    alice = await server.world.user('alice')
    token = await alice.token('write:repository')
    repo = await server.world.repo({ owner: alice, name: 'notes', autoInit: true, isPrivate: true })
    url = `${server.url}/alice/notes.git`
    serverPath = server.app.git.path(repo.storage)
    dir = join(temp.path, 'clone')
    await isomorphicGit.clone({ fs, http, dir, url, onAuth: signIn(token) })
  })
  afterAll(async () => {
    await server.close()
    temp.remove()
  })

  const signIn = (password: string) => () => ({ username: 'alice', password })
  const onServer = (...args: string[]): Promise<string> => git(serverPath, args)
  const local = (ref: string): Promise<string> => isomorphicGit.resolveRef({ fs, dir, ref })

  async function commitFile(name: string, text: string): Promise<string> {
    writeFileSync(join(dir, name), text)
    await isomorphicGit.add({ fs, dir, filepath: name })
    return isomorphicGit.commit({ fs, dir, message: `Add ${name}\n`, author: AUTHOR })
  }

  it('clones a private repository with a token', async () => {
    expect(await local('HEAD')).toBe(await onServer('rev-parse', 'refs/heads/main'))
    expect(await isomorphicGit.listFiles({ fs, dir })).toContain('README.md')
    expect(await git(dir, ['status', '--porcelain'])).toBe('')
    await git(dir, ['fsck', '--strict'])
  })

  it('pushes a commit, which real git finds sound on the server', async () => {
    const oid = await commitFile('pushed.txt', 'pushed\n')
    const pushed = await isomorphicGit.push({ fs, http, dir, url, ref: 'main', onAuth: signIn(token) })
    expect(pushed).toMatchObject({ ok: true, refs: { 'refs/heads/main': { ok: true } } })
    expect(await onServer('rev-parse', 'refs/heads/main')).toBe(oid)
    expect(await onServer('show', 'main:pushed.txt')).toBe('pushed')
    await onServer('fsck', '--strict')
    const read = await alice.client.get(`/repos/alice/notes/git/commits/${oid}`)
    expect(read.json.commit.author).toEqual({ ...who(AUTHOR), date: '2023-11-15T00:13:20+02:00' })
  })

  it('pushes a new branch and deletes it', async () => {
    await isomorphicGit.branch({ fs, dir, ref: 'topic' })
    const options = { fs, http, dir, url, ref: 'topic', onAuth: signIn(token) }
    expect(await isomorphicGit.push(options)).toMatchObject({ ok: true })
    expect(await onServer('rev-parse', 'refs/heads/topic')).toBe(await local('topic'))
    expect(await isomorphicGit.push({ ...options, delete: true })).toMatchObject({ ok: true })
    expect(await onServer('for-each-ref', 'refs/heads/topic')).toBe('')
  })

  it('fetches and reads the objects that the contents API wrote', async () => {
    const content = base64('by the API\n')
    const written = await alice.client.post('/repos/alice/notes/contents/deep/api.txt', { content, message: 'API' })
    expect(written.status).toBe(201)
    const { fetchHead } = await isomorphicGit.fetch({ fs, http, dir, url, ref: 'main', onAuth: signIn(token) })
    expect(fetchHead).toBe(written.json.commit.sha)
    const oid = fetchHead!
    const { commit } = await isomorphicGit.readCommit({ fs, dir, oid })
    expect(commit).toMatchObject({ message: 'API\n', author: { name: 'alice' } })
    const file = await isomorphicGit.readBlob({ fs, dir, oid, filepath: 'deep/api.txt' })
    expect({ oid: file.oid, text: Buffer.from(file.blob).toString() }).toEqual({
      oid: written.json.content.sha,
      text: 'by the API\n',
    })
    await git(dir, ['fsck', '--strict'])
    await onServer('fsck', '--strict')
  })

  it('reads loose objects of the server from its disk', async () => {
    const content = base64('loose\n')
    const written = await alice.client.post('/repos/alice/notes/contents/loose.txt', { content, message: 'Loose' })
    const oid: string = written.json.commit.sha
    const file = await isomorphicGit.readBlob({ fs, gitdir: serverPath, oid, filepath: 'loose.txt' })
    expect(Buffer.from(file.blob).toString()).toBe('loose\n')
    const [entry] = await isomorphicGit.log({ fs, gitdir: serverPath, ref: oid, depth: 1 })
    expect(entry!.commit.tree).toBe(await onServer('rev-parse', `${oid}^{tree}`))
  })

  it.each([1, 2] as const)('lists the refs with protocol version %i', async (protocolVersion) => {
    await onServer('update-ref', 'refs/tags/v1', 'refs/heads/main')
    const refs = await isomorphicGit.listServerRefs({ http, url, protocolVersion, onAuth: signIn(token) })
    const listed = refs.map(({ ref, oid }) => `${oid} ${ref}`).filter((line) => !line.endsWith(' HEAD'))
    expect(listed.toSorted()).toEqual((await onServer('show-ref')).split('\n').toSorted())
  })

  it.each([
    { title: 'no credentials', password: async () => undefined, status: 401 },
    { title: 'an unknown token', password: async () => 'f'.repeat(40), status: 401 },
    { title: 'a token that may only read', password: () => alice.token('read:repository'), status: 403 },
  ])('is refused a push with $title', async ({ password, status }) => {
    const value = await password()
    const before = await onServer('rev-parse', 'refs/heads/main')
    const auth = value === undefined ? {} : { onAuth: signIn(value) }
    const push = isomorphicGit.push({ fs, http, dir, url, ref: 'main', force: true, ...auth })
    await expect(push).rejects.toMatchObject({ code: 'HttpError', data: { statusCode: status } })
    expect(await onServer('rev-parse', 'refs/heads/main')).toBe(before)
  })

  it('is refused a push that is no fast-forward of what the server has', async () => {
    await isomorphicGit.checkout({ fs, dir, ref: 'main' })
    const before = await onServer('rev-parse', 'refs/heads/main')
    await commitFile('behind.txt', 'behind\n')
    const push = isomorphicGit.push({ fs, http, dir, url, ref: 'main', onAuth: signIn(token) })
    await expect(push).rejects.toMatchObject({ code: 'PushRejectedError' })
    expect(await onServer('rev-parse', 'refs/heads/main')).toBe(before)
  })
})

const who = ({ name, email }: typeof AUTHOR): { name: string; email: string } => ({ name, email })
