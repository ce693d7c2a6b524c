import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { RefConflictError } from '../../src/core/git/index.ts'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { statementsOf } from '../harness/statements.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { git } from '../core/git/wire/client.ts'
import { type SshFixture, type SshKey, startSshFixture } from '../transports/git-ssh/fixture.ts'
import { commitFile, createPull } from './pull-world.ts'

const PULLS = '/repos/ann/app/pulls'

// Tests do not let jobs run between a write and a read unless they say so.
describeOnBoth('a pull request that is read right after its head was written', (kind) => {
  let ssh: SshFixture
  let [ann, bob] = [] as unknown as [Person, Person]
  let anns: SshKey
  let work = ''
  let count = 0
  beforeAll(async () => {
    ssh = await startSshFixture({}, { on: kind })
    const { world } = ssh.server
    ;[ann, bob] = [await world.user('ann'), await world.user('bob')]
    anns = await ssh.keyOf(ann)
    await world.repo({ owner: ann, name: 'app', autoInit: true, defaultBranch: 'main' })
    expect((await bob.client.post('/repos/ann/app/forks', {})).status).toBe(202)
    work = join(ssh.dir, 'work')
    await git(ssh.dir, ['clone', '-q', remote(ann, 'ann/app'), work])
  })
  afterAll(() => ssh.close())

  const remote = (person: Person, repo: string): string =>
    `${ssh.server.url.replace('//', `//${person.name}:${encodeURIComponent(PASSWORD)}@`)}/${repo}.git`
  const get = async (path: string): Promise<Any> => (await ann.client.get(path)).json
  const tipOf = async (branch: string, repo = 'ann/app'): Promise<string> =>
    (await get(`/repos/${repo}/branches/${branch}`)).commit.id
  /** Commits a file to a branch of the clone, and pushes what it has. */
  async function push(branch: string, send: (...refs: string[]) => Promise<unknown>, from = branch): Promise<void> {
    await git(work, ['fetch', '-q', 'origin'])
    await git(work, ['checkout', '-q', '-B', branch, `origin/${from}`])
    writeFileSync(join(work, `pushed${++count}.txt`), `${count}\n`)
    await git(work, ['add', '.'])
    await git(work, ['commit', '-qm', `Push ${count}`])
    await send('--force', branch)
  }
  const byHttp = (...refs: string[]) => git(work, ['push', '-q', 'origin', ...refs])
  const bySsh = (...refs: string[]) => ssh.git(work, anns, 'push', '-q', ssh.url('ann/app.git'), ...refs)
  /** The head of a pull request in every response that shows it, by its number. */
  async function heads(number: number): Promise<object> {
    const [files, commits, pull, diff, timeline] = await Promise.all([
      ann.client.get(`${PULLS}/${number}/files`),
      get(`${PULLS}/${number}/commits`),
      get(`${PULLS}/${number}`),
      ann.client.get(`${PULLS}/${number}.diff`),
      get(`/repos/ann/app/issues/${number}/timeline`),
    ])
    const bodies: Any[] = timeline.filter(({ type }: Any) => type === 'pull_push').map(({ body }: Any) => body)
    return {
      files: files.json.length,
      inDiff: diff.text.match(/^diff --git/gm)?.length,
      shown: pull.changed_files,
      mergeable: pull.mergeable,
      tips: new Set([commits[0].sha, pull.head.sha, ...JSON.parse(bodies.at(-1)).commit_ids.slice(-1)]),
    }
  }
  const expected = (files: number, tip: string) => ({
    files,
    inDiff: files,
    shown: files,
    mergeable: true,
    tips: new Set([tip]),
  })

  it('shows commits that were pushed over HTTP and SSH or written by the API', async () => {
    await commitFile(ann, { branch: 'own', from: 'main' })
    const { number } = await createPull(ann, { head: 'own' })
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      http: () => push('own', byHttp),
      ssh: () => push('own', bySsh),
      contents: () => commitFile(ann, { branch: 'own', path: 'contents.txt' }),
      async branch() {
        const oid = await commitFile(ann, { branch: 'further', from: 'own', path: 'further.txt' })
        const moved = await ann.client.put('/repos/ann/app/branches/own', { new_commit_id: oid })
        expect(moved.status).toBe(204)
      },
      async merge() {
        await commitFile(ann, { branch: 'upper', from: 'own', path: 'upper.txt' })
        const upper = await createPull(ann, { head: 'upper', base: 'own' })
        expect((await ann.client.post(`${PULLS}/${upper.number}/merge`, { Do: 'squash' })).status).toBe(200)
      },
    }
    let files = 1
    for (const [name, write] of Object.entries(writes)) {
      await write()
      expect(await heads(number), name).toEqual(expected(++files, await tipOf('own')))
    }
    await commitFile(ann, { branch: 'main', path: 'base.txt' })
    expect((await ann.client.post(`${PULLS}/${number}/update`)).status).toBe(200)
    expect(await heads(number)).toEqual(expected(files, await tipOf('own')))
  })

  it('shows pushes to a fork and forced pushes', async () => {
    await commitFile(bob, { branch: 'away', from: 'main', repo: 'bob/app' })
    const { number } = await createPull(bob, { head: 'bob:away' })
    await git(work, ['fetch', '-q', remote(bob, 'bob/app'), '+away:refs/remotes/origin/away'])
    await push('away', (...refs) => git(work, ['push', '-q', remote(bob, 'bob/app'), ...refs]))
    expect(await heads(number)).toEqual(expected(2, await tipOf('away', 'bob/app')))
    await push('away', (...refs) => git(work, ['push', '-q', remote(bob, 'bob/app'), ...refs]), 'main')
    const { files, shown } = (await heads(number)) as Any
    expect([files, shown]).toEqual([1, 1])
  })

  it('is closed when its branch is deleted', async () => {
    await commitFile(ann, { branch: 'leaving', from: 'main' })
    const { number } = await createPull(ann, { head: 'leaving' })
    await byHttp(':leaving')
    expect((await get(`${PULLS}/${number}`)).state).toBe('closed')
  })

  it('has each push once in its timeline, also when a job runs at the same time', async () => {
    await commitFile(ann, { branch: 'once', from: 'main' })
    const { number } = await createPull(ann, { head: 'once' })
    for (let round = 0; round < 3; round++) await Promise.all([push('once', byHttp), ssh.server.drain()])
    await ssh.server.drain()
    const timeline: Any[] = await get(`/repos/ann/app/issues/${number}/timeline`)
    expect(timeline.filter(({ type }) => type === 'pull_push')).toHaveLength(4)
  })

  it('does not fail a push when its update fails, and retries later', async () => {
    await commitFile(ann, { branch: 'stuck', from: 'main' })
    const { number } = await createPull(ann, { head: 'stuck' })
    const { git: server } = ssh.server.app
    const open = server.open.bind(server)
    let refusals = 0
    vi.spyOn(server, 'open').mockImplementation((repo) => {
      const opened = open(repo)
      const update: typeof opened.refs.update = async (updates, ...rest) => {
        if (!updates.some(({ ref }) => ref.startsWith('refs/pull/'))) return opened.refs.update(updates, ...rest)
        refusals++
        throw new RefConflictError(updates[0]!.ref, 'stale')
      }
      return { ...opened, refs: { ...opened.refs, update } }
    })
    await commitFile(ann, { branch: 'stuck', path: 'later.txt' })
    vi.restoreAllMocks()
    expect(refusals).toBeGreaterThan(0)
    await ssh.server.drain()
    expect(await heads(number)).toEqual(expected(2, await tipOf('stuck')))
  })

  it('is updated at once with up to four others of its branch, and in a job with more', async () => {
    await commitFile(ann, { branch: 'wide', from: 'main' })
    const numbers: number[] = []
    for (let at = 0; at < 6; at++) {
      await commitFile(ann, { branch: `into${at}`, from: 'main' })
      numbers.push((await createPull(ann, { head: 'wide', base: `into${at}` })).number)
    }
    await commitFile(ann, { branch: 'wide', path: 'wider.txt' })
    const files = async (): Promise<number[]> =>
      Promise.all(numbers.map(async (number) => (await get(`${PULLS}/${number}/files`)).length))
    expect(await files()).toEqual([2, 2, 2, 2, 2, 1])
    await ssh.server.drain()
    expect(await files()).toEqual([2, 2, 2, 2, 2, 2])
  })

  it('adds one query to a push without a pull request, however many others exist', async () => {
    await commitFile(ann, { branch: 'alone', from: 'main' })
    await ssh.server.drain()
    const sent = await statementsOf(ssh.server.app.database, () => push('alone', bySsh))
    const asked = sent.filter((text) => text.includes('"issue"."number", "pull"."base_repo_id"'))
    expect([asked.length, sent.some((text) => text.includes('update "pull"'))], sent.join('\n')).toEqual([1, false])
  })
})
