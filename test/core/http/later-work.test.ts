import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { git } from '../git/wire/client.ts'
import { type Any, type Client, createClient } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { type SshFixture, type SshKey, startSshFixture } from '../../transports/git-ssh/fixture.ts'
import { commitFile, createPull } from '../../pulls/pull-world.ts'

/** Credentials of ann, an administrator of the site, who may do everything everywhere. */
const TOKENS = {
  'full token': { scopes: ['all'] },
  'limited token': { scopes: ['all'], repositories: ['ann/app'] },
  'public-only token': { scopes: ['all', 'public-only'] },
  'narrow token': { scopes: ['write:repository'] },
} as const
type TokenKind = keyof typeof TOKENS

/** Repositories in which keywords act: that of the work, another public one, a private one. */
const REPOS = ['ann/app', 'ann/desk', 'ann/vault'] as const
const CLOSES: Readonly<Record<TokenKind | 'deploy key', readonly (typeof REPOS)[number][]>> = {
  'full token': ['ann/app', 'ann/desk', 'ann/vault'],
  'limited token': ['ann/app'],
  'public-only token': ['ann/app', 'ann/desk'],
  'narrow token': ['ann/app'],
  'deploy key': ['ann/app'],
}
/** Whose merge deletes a head branch in a fork. */
const DELETES: ReadonlySet<TokenKind> = new Set(['full token', 'public-only token', 'narrow token'])
const KINDS = Object.keys(TOKENS) as TokenKind[]

describeOnBoth('work that runs after its request', (on) => {
  let ssh: SshFixture
  let ann: Person
  let bob: Person
  let deployKey: SshKey
  let count = 0
  const tokens = new Map<TokenKind, { readonly client: Client; readonly value: string }>()

  beforeAll(async () => {
    ssh = await startSshFixture({}, { on })
    const { world, url, app } = ssh.server
    ann = await world.admin('ann')
    bob = await world.user('bob')
    const main = await world.repo({ owner: ann, name: 'app', autoInit: true })
    await world.repo({ owner: ann, name: 'desk', autoInit: true })
    await world.repo({ owner: ann, name: 'vault', isPrivate: true, autoInit: true })
    expect((await bob.client.post('/repos/ann/app/forks', {})).status).toBe(202)
    deployKey = await ssh.deployKey(main.id, { readOnly: false })
    const rule = { rule_name: 'guarded', enable_push: true, enable_status_check: true, status_check_contexts: ['ci'] }
    expect((await ann.client.post('/repos/ann/app/branch_protections', rule)).status).toBe(201)
    expect((await ann.client.post('/repos/ann/app/branches', { new_branch_name: 'guarded' })).status).toBe(201)
    for (const kind of KINDS) {
      const { json } = await ann.client.post('/users/ann/tokens', { name: kind, ...TOKENS[kind] })
      tokens.set(kind, {
        value: json.sha1,
        client: createClient(url, app.operations, { authorization: `token ${json.sha1}` }),
      })
    }
  })
  afterAll(() => ssh.close())

  /** A new issue of each repository, and a text that closes them. */
  async function makeIssues(): Promise<{
    readonly text: string
    closed(): Promise<string[]>
    booked(): Promise<string[]>
  }> {
    const numbers = new Map<string, number>()
    for (const repo of REPOS) {
      const { json } = await ann.client.post(`/repos/${repo}/issues`, { title: 'An issue' })
      numbers.set(repo, json.number)
    }
    const where = async (path: string, holds: (json: Any) => boolean): Promise<string[]> => {
      const found: string[] = []
      for (const [repo, number] of numbers)
        if (holds((await ann.client.get(`/repos/${repo}/issues/${number}${path}`)).json)) found.push(repo)
      return found
    }
    return {
      text: REPOS.map((repo) => `Closes ${repo}#${numbers.get(repo)} @1h`).join(', '),
      closed: () => where('', ({ state }) => state === 'closed'),
      booked: () => where('/times', (times) => times.length > 0),
    }
  }

  /** Pushes a commit to the default branch of ann/app. */
  async function push(remote: string, message: string, env: Record<string, string> = {}): Promise<void> {
    const folder = mkdtempSync(join(ssh.dir, 'work-'))
    await git(folder, ['clone', '-q', remote, '.'], { env })
    writeFileSync(join(folder, `pushed${count++}`), '')
    await git(folder, ['add', '.'])
    await git(folder, ['commit', '-q', '-m', message])
    await git(folder, ['push', '-q', 'origin', 'HEAD:main'], { env })
    await ssh.server.drain()
  }

  /** A pull request of ann from a new branch of bob's fork. */
  async function newPull(base: string, body: string, client = ann.client): Promise<{ pull: Any; branch: string }> {
    const branch = `topic${count++}`
    await commitFile(bob, { branch, from: 'main', repo: 'bob/app' })
    const pull = await createPull({ ...ann, client }, { head: `bob:${branch}`, base, body })
    await ssh.server.drain()
    return { pull, branch }
  }

  const mergeAs = async (client: Client, { number }: Any, body: object = {}): Promise<number> =>
    (
      await client.post(`/repos/ann/app/pulls/${number}/merge`, {
        Do: 'merge',
        delete_branch_after_merge: true,
        ...body,
      })
    ).status
  const report = async (sha: string): Promise<void> => {
    const status = { state: 'success', context: 'ci' }
    expect((await ann.client.post(`/repos/ann/app/statuses/${sha}`, status)).status).toBe(201)
    await ssh.server.drain()
  }
  const hasBranch = async (branch: string): Promise<boolean> =>
    (await bob.client.get(`/repos/bob/app/branches/${branch}`)).status === 200

  it.each(KINDS)('commits that a %s pushes close issues that it reaches', async (kind) => {
    const issues = await makeIssues()
    const { value } = tokens.get(kind)!
    await push(`${ssh.server.url.replace('//', `//ann:${value}@`)}/ann/app.git`, issues.text)
    expect(await issues.closed()).toEqual(CLOSES[kind])
    expect(await issues.booked()).toEqual(CLOSES[kind])
  })

  it('commits that a deploy key pushes close only issues of its repository', async () => {
    const issues = await makeIssues()
    await push(ssh.url('ann/app.git'), issues.text, ssh.env(deployKey))
    expect(await issues.closed()).toEqual(CLOSES['deploy key'])
    expect(await issues.booked()).toEqual(CLOSES['deploy key'])
  })

  it.each(KINDS)('a merge by a %s closes issues and deletes the branch where the token reaches', async (kind) => {
    const issues = await makeIssues()
    const { pull, branch } = await newPull('main', issues.text)
    expect(await mergeAs(tokens.get(kind)!.client, pull)).toBe(200)
    await ssh.server.drain()
    expect(await issues.closed()).toEqual(CLOSES[kind])
    expect(await hasBranch(branch)).toBe(!DELETES.has(kind))
  })

  it.each(KINDS)('a merge that a %s schedules has no more rights than the token', async (kind) => {
    const issues = await makeIssues()
    const { pull, branch } = await newPull('guarded', issues.text)
    expect(await mergeAs(tokens.get(kind)!.client, pull, { merge_when_checks_succeed: true })).toBe(201)
    await report(pull.head.sha)
    expect((await ann.client.get(`/repos/ann/app/pulls/${pull.number}`)).json.merged).toBe(true)
    expect(await issues.closed()).toEqual(CLOSES[kind])
    expect(await hasBranch(branch)).toBe(!DELETES.has(kind))
  })

  it.each(KINDS)('a merge that a %s queues has no more rights than the token', async (kind) => {
    const issues = await makeIssues()
    const { pull, branch } = await newPull('guarded', issues.text)
    expect(await mergeAs(tokens.get(kind)!.client, pull, { queue: true })).toBe(201)
    await ssh.server.drain()
    const [entry] = (await ann.client.get('/repos/ann/app/branches/guarded/queue')).json
    await report(entry.batch.sha)
    expect((await ann.client.get(`/repos/ann/app/pulls/${pull.number}`)).json.merged).toBe(true)
    expect(await issues.closed()).toEqual(CLOSES[kind])
    expect(await hasBranch(branch)).toBe(!DELETES.has(kind))
  })

  it.each(KINDS)('keywords that a %s writes into a pull request close issues that it reaches', async (kind) => {
    const issues = await makeIssues()
    const branch = `own${count++}`
    await commitFile(ann, { branch, from: 'main' })
    const by = { ...ann, client: tokens.get(kind)!.client }
    const pull = await createPull(by, { head: branch, body: issues.text })
    await ssh.server.drain()
    expect(await mergeAs(ann.client, pull)).toBe(200)
    await ssh.server.drain()
    expect(await issues.closed()).toEqual(CLOSES[kind])
  })

  it.each(KINDS)('a pull request that a %s merges by hand closes issues that it reaches', async (kind) => {
    expect((await ann.client.patch('/repos/ann/app', { autodetect_manual_merge: true })).status).toBe(200)
    const issues = await makeIssues()
    const { pull, branch } = await newPull('main', issues.text)
    const folder = mkdtempSync(join(ssh.dir, 'hand-'))
    const remote = `${ssh.server.url.replace('//', `//ann:${tokens.get(kind)!.value}@`)}/ann/app.git`
    await git(folder, ['clone', '-q', remote, '.'])
    await git(folder, ['fetch', '-q', 'origin', `refs/pull/${pull.number}/head:${branch}`])
    await git(folder, ['merge', '-q', '--no-ff', '-m', 'By hand', branch])
    await git(folder, ['push', '-q', 'origin', 'HEAD:main'])
    await ssh.server.drain()
    expect((await ann.client.get(`/repos/ann/app/pulls/${pull.number}`)).json.merged).toBe(true)
    expect(await issues.closed()).toEqual(CLOSES[kind])
  })

  it('a schedule of a public-only token ends in nothing once the repository is private', async () => {
    await ssh.server.world.repo({ owner: ann, name: 'later', autoInit: true })
    const rule = { rule_name: 'main', enable_push: true, enable_status_check: true, status_check_contexts: ['ci'] }
    await commitFile(ann, { branch: 'topic', from: 'main', repo: 'ann/later' })
    expect((await ann.client.post('/repos/ann/later/branch_protections', rule)).status).toBe(201)
    const pull = await createPull(ann, { head: 'topic' }, 'ann/later')
    await ssh.server.drain()
    const { client } = tokens.get('public-only token')!
    const order = { Do: 'merge', merge_when_checks_succeed: true }
    expect((await client.post(`/repos/ann/later/pulls/${pull.number}/merge`, order)).status).toBe(201)
    expect((await ann.client.patch('/repos/ann/later', { private: true })).status).toBe(200)
    const status = { state: 'success', context: 'ci' }
    expect((await ann.client.post(`/repos/ann/later/statuses/${pull.head.sha}`, status)).status).toBe(201)
    await ssh.server.drain()
    expect((await ann.client.get(`/repos/ann/later/pulls/${pull.number}`)).json.merged).toBe(false)
  })

  it('keywords of a pull request act by the rights that their author has when it is merged', async () => {
    for (const repo of ['desk', 'vault'])
      await ann.client.put(`/repos/ann/${repo}/collaborators/bob`, { permission: 'write' })
    const issues = await makeIssues()
    const { pull } = await newPull('main', issues.text, bob.client)
    expect((await ann.client.delete('/repos/ann/vault/collaborators/bob')).status).toBe(204)
    expect(await mergeAs(ann.client, pull)).toBe(200)
    await ssh.server.drain()
    expect(await issues.closed()).toEqual(['ann/app', 'ann/desk'])
  })
})
