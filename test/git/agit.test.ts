import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { invalid } from '../../src/platform/errors.ts'
import type { AgitProposals, Proposal } from '../../src/subjects/pushes/push-proposals.service.ts'
import type { Repo } from '../../src/subjects/repos/repo.store.ts'
import { startSshFixture, type SshFixture, type SshKey } from '../ssh/fixture.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { git, tempDir, tryGit } from './wire/client.ts'

/** Stores proposals as the subject of pull requests will, in memory. */
class FakePulls implements AgitProposals {
  readonly taken: Proposal[] = []
  readonly heads = new Map<string, string>()
  done = 0
  refusal: string | undefined

  async findOpen({ base, head }: { base: string; head: string }) {
    const found = [...this.heads.keys()].indexOf(`${base} ${head}`)
    return found < 0 ? undefined : { ref: `refs/pull/${found + 1}/head`, oid: this.heads.get(`${base} ${head}`) }
  }

  async prepare(proposal: Proposal) {
    if (this.refusal !== undefined) throw invalid(this.refusal)
    this.taken.push(proposal)
    const open = await this.findOpen(proposal)
    const ref = open?.ref ?? `refs/pull/${this.heads.size + 1}/head`
    return {
      ref,
      oid: open?.oid,
      complete: async () => {
        this.done++
        this.heads.set(`${proposal.base} ${proposal.head}`, proposal.newOid)
        return ['Proposal kept', `  ${ref}`]
      },
    }
  }

  async findPullUrl(_: Repo, branch: string) {
    return branch === 'known' ? 'http://pulls/1' : undefined
  }
}

const dir = tempDir()
const pulls = new FakePulls()
let ssh: SshFixture
let alice: Person
let bob: Person
let bobs: SshKey
let work: string

beforeAll(async () => {
  ssh = await startSshFixture()
  ssh.server.app.pushProposals.register(pulls)
  alice = await ssh.server.world.user('alice')
  bob = await ssh.server.world.user('Bob')
  bobs = await ssh.keyOf(bob)
  await ssh.server.world.repo({ owner: alice, name: 'tool', autoInit: true })
  work = join(dir.path, 'work')
  await git(dir.path, ['clone', '-q', url(alice), work])
})
beforeEach(() => {
  pulls.refusal = undefined
})
afterAll(async () => {
  await ssh.close()
  dir.remove()
})

const url = (person: Person, name = 'tool') =>
  `${ssh.server.url.replace('://', `://${person.name}:${encodeURIComponent(PASSWORD)}@`)}/alice/${name}.git`
const push = (ref: string, ...options: string[]) =>
  tryGit(work, ['push', ...options.flatMap((option) => ['-o', option]), url(bob), `HEAD:${ref}`])
let count = 0
async function commit(message: string): Promise<string> {
  writeFileSync(join(work, `file-${count++}`), 'x')
  await git(work, ['add', '.'])
  await git(work, ['commit', '-qm', message])
  return git(work, ['rev-parse', 'HEAD'])
}
const refs = () => git(work, ['ls-remote', url(alice), 'refs/pull/*'])

describe('a push to refs/for', () => {
  it('by a reader creates a pull request, which the next push updates', async () => {
    const tip = await commit('Add a file\n\nIt was missing.')
    const first = await push('refs/for/main/topic')
    expect(first).toMatchObject({ code: 0 })
    expect(first.stderr).toContain('HEAD -> refs/pull/1/head')
    expect(first.stderr).toMatch(/remote: Proposal kept\s*\nremote: {3}refs\/pull\/1\/head/)
    expect(pulls.taken.at(-1)).toMatchObject({
      base: 'main',
      topic: 'topic',
      head: 'bob/topic',
      title: 'Add a file',
      description: 'It was missing.',
      newOid: tip,
    })
    expect(await refs()).toBe(`${tip}\trefs/pull/1/head`)
    expect((await push('refs/for/main/topic')).stderr).toContain('new commit is same with old commit')
    const next = await commit('More')
    expect((await push('refs/for/main', 'topic=topic')).code).toBe(0)
    expect(pulls.taken.at(-1)).toMatchObject({ title: undefined, description: undefined })
    expect(await refs()).toBe(`${next}\trefs/pull/1/head`)
  })

  it('loses commits only when it says so', async () => {
    await git(work, ['reset', '-q', '--hard', 'HEAD~1'])
    await commit('Instead')
    expect((await push('refs/for/main/topic')).stderr).toContain('request `force-push` push option')
    expect(
      (await push('refs/for/main/topic', 'force-push=true', `title={base64}${Buffer.from('Grüße').toString('base64')}`))
        .code,
    ).toBe(0)
    expect(pulls.taken.at(-1)).toMatchObject({ title: 'Grüße' })
  })

  it('works over SSH alike', async () => {
    const tip = await commit('One line')
    const answer = await ssh.tryGit(work, bobs, 'push', ssh.url('alice/tool'), 'HEAD:refs/for/main/by-ssh')
    expect(answer).toMatchObject({ code: 0 })
    expect(answer.stderr).toContain('refs/pull/2/head')
    expect(pulls.taken.at(-1)).toMatchObject({
      head: 'bob/by-ssh',
      title: 'One line',
      description: 'One line',
      newOid: tip,
    })
  })

  it('is refused in words, ref by ref, and moves nothing then', async () => {
    await commit('Never taken')
    const [before, done] = [await refs(), pulls.done]
    expect((await push('refs/for/main')).stderr).toContain('topic-branch is not set')
    expect((await push('refs/for/nowhere/topic')).stderr).toContain('base-branch does not exist')
    pulls.refusal = 'you are blocked'
    expect((await push('refs/for/main/other')).stderr).toContain('you are blocked')
    expect((await tryGit(work, ['push', url(bob), ':refs/for/main/topic'])).code).not.toBe(0)
    expect([await refs(), pulls.done]).toEqual([before, done])
    await ssh.server.world.repo({ owner: alice, name: 'void' })
    const empty = await tryGit(work, ['push', url(bob, 'void'), 'HEAD:refs/for/main/x'])
    expect(empty.stderr).toContain("Can't create pull request for an empty repository.")
  })

  it('needs the right to write for everything beside it', async () => {
    const both = await tryGit(work, ['push', url(bob), 'HEAD:refs/for/main/x', 'HEAD:refs/heads/x'])
    expect(both.stderr).toContain('User permission denied for writing.')
    expect(both.stderr).not.toContain('Proposal kept')
  })
})

it('a push to a branch with an open pull request prints its address', async () => {
  const { stderr } = await tryGit(work, ['push', url(alice), 'HEAD:refs/heads/known', 'HEAD:refs/heads/unknown'])
  expect(stderr).toMatch(/Visit the existing pull request:\s*\nremote: {3}http:\/\/pulls\/1/)
  expect(stderr).toContain("Create a new pull request for 'unknown':")
})
