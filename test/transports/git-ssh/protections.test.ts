import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Repo } from '../../../src/domains/repositories/index.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { git, tryGit } from '../../core/git/wire/client.ts'
import { startSshFixture, type SshFixture, type SshKey } from './fixture.ts'

let ssh: SshFixture
let ann: Person
let anns: SshKey
let deploy: SshKey
let repo: Repo
let work: string
let count = 0
const RULES = '/repos/ann/r/branch_protections'

beforeAll(async () => {
  ssh = await startSshFixture()
  ann = await ssh.server.world.user('ann')
  anns = await ssh.keyOf(ann)
  repo = await ssh.server.world.repo({ owner: ann, name: 'r', autoInit: true, defaultBranch: 'main' })
  deploy = await ssh.deployKey(repo.id, { readOnly: false })
  work = join(ssh.dir, 'work')
  await ssh.git(ssh.dir, anns, 'clone', '-q', ssh.url('ann/r.git'), work)
})
afterAll(() => ssh.close())

async function commit(...options: string[]): Promise<void> {
  writeFileSync(join(work, `file${++count}`), String(count))
  await git(work, ['add', '.'])
  await git(work, [...options, 'commit', '-qm', `${count}`])
}
const push = (key: SshKey, ...args: string[]) => ssh.tryGit(work, key, 'push', '-q', 'origin', ...args)

describe('deploy keys', () => {
  it('push like writers, and past a whitelist only if the rule allows it', async () => {
    await ann.client.post(RULES, { rule_name: 'rel', enable_push: true })
    await commit()
    expect(await push(deploy, 'HEAD:rel')).toMatchObject({ code: 0 })
    // The key acts in the name of ann, but is not ann: her place on the list is not its own.
    await ann.client.patch(`${RULES}/rel`, {
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['ann'],
    })
    await commit()
    expect((await push(deploy, 'HEAD:rel')).stderr).toContain('error: Not allowed to push to protected branch rel')
    await ann.client.patch(`${RULES}/rel`, { enable_push: true, push_whitelist_deploy_keys: true })
    expect(await push(deploy, 'HEAD:rel')).toMatchObject({ code: 0 })
    await ann.client.patch(`${RULES}/rel`, {
      enable_push: true,
      enable_force_push: true,
      enable_force_push_allowlist: true,
      force_push_allowlist_usernames: ['ann'],
    })
    await git(work, ['commit', '-q', '--amend', '-m', 'other'])
    expect((await push(deploy, '-f', 'HEAD:rel')).stderr).toContain(
      'error: Not allowed to force-push to protected branch rel',
    )
    await ann.client.patch(`${RULES}/rel`, {
      enable_push: true,
      enable_force_push: true,
      force_push_allowlist_deploy_keys: true,
    })
    expect(await push(deploy, '-f', 'HEAD:rel')).toMatchObject({ code: 0 })
  })

  it('cannot change protected tags', async () => {
    await ann.client.post('/repos/ann/r/tag_protections', { name_pattern: 'v*', whitelist_usernames: ['ann'] })
    await git(work, ['tag', 'v1'])
    expect((await push(deploy, 'v1')).stderr).toContain('error: Tag v1 is protected')
    expect(await push(anns, 'v1')).toMatchObject({ code: 0 })
  })
})

describe('required signatures', () => {
  it('are met by commits that the committer signed with a key of the account', async () => {
    await push(anns, 'origin/main:refs/heads/signed')
    await ann.client.post(RULES, { rule_name: 'signed', enable_push: true, require_signed_commits: true })
    // A key counts once its owner has signed in with it; that is written down within some seconds.
    await ssh.server.app.keyLogins.flush()
    await git(work, ['checkout', '-q', '-B', 'signed', 'origin/main'])
    const sign = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${anns.path}`, '-c', 'commit.gpgsign=true']
    const asAnn = { env: { GIT_COMMITTER_EMAIL: ann.user.email } }
    for (let at = 0; at < 3; at++) {
      writeFileSync(join(work, `signed${at}`), String(at))
      await git(work, ['add', '.'])
      await git(work, [...sign, 'commit', '-qm', `signed ${at}`], asAnn)
    }
    expect(await push(anns, 'HEAD:signed')).toMatchObject({ code: 0 })
    await commit()
    await git(work, [...sign, 'commit', '-q', '--allow-empty', '-m', 'good again'], asAnn)
    const bad = await git(work, ['rev-parse', 'HEAD~1'])
    expect((await push(anns, 'HEAD:signed')).stderr).toContain(
      `error: branch signed is protected from unverified commit ${bad}`,
    )
  })
})

describe('edits by maintainers', () => {
  const FORK = '/repos/cat/fork'
  const RULE = `${FORK}/branch_protections`
  let [cat, wes] = [] as unknown as [Person, Person]
  let wess: SshKey
  let number = 0
  const bySsh = (...args: string[]) => ssh.tryGit(work, wess, 'push', ssh.url('cat/fork'), ...args)
  const byHttp = (user: string, password: string, ...args: string[]) =>
    tryGit(work, [
      'push',
      `${ssh.server.url.replace('//', `//${user}:${encodeURIComponent(password)}@`)}/cat/fork`,
      ...args,
    ])
  const pull = async () => (await cat.client.get(`/repos/ann/r/pulls/${number}`)).json
  const tip = () => git(work, ['rev-parse', 'HEAD'])

  beforeAll(async () => {
    const { world } = ssh.server
    ;[cat, wes] = [await world.user('cat'), await world.user('wes')]
    await world.user('eve')
    wess = await ssh.keyOf(wes)
    await ann.client.put('/repos/ann/r/collaborators/wes', { permission: 'write' })
    expect((await cat.client.post('/repos/ann/r/forks', { name: 'fork' })).status).toBe(202)
    await git(work, ['checkout', '-q', '-B', 'fix', 'origin/main'])
    await commit()
    expect(await byHttp('cat', PASSWORD, 'fix')).toMatchObject({ code: 0 })
    const body = { head: 'cat:fix', base: 'main', title: 'Fix', allow_maintainer_edit: true }
    number = (await cat.client.post('/repos/ann/r/pulls', body)).json.number
  })

  it('push to the head branch over both transports', async () => {
    await commit()
    expect(await bySsh('fix')).toMatchObject({ code: 0 })
    await ssh.server.drain()
    expect((await pull()).head.sha).toBe(await tip())
    await commit()
    expect((await byHttp('eve', PASSWORD, 'fix')).stderr).toContain('User permission denied for writing.')
    const [reading, writing] = [await wes.token('read:repository'), await wes.token('write:repository')]
    expect((await byHttp('wes', reading, 'fix')).code).not.toBe(0)
    const narrow = { name: 'narrow', scopes: ['write:repository'], repositories: ['cat/fork'] }
    const made = await wes.client.post('/users/wes/tokens', narrow, { password: PASSWORD })
    expect(made.status).toBe(201)
    expect((await byHttp('wes', made.json.sha1, 'fix')).stderr).toContain('User permission denied for writing.')
    expect(await byHttp('wes', writing, 'fix')).toMatchObject({ code: 0 })
    await ssh.server.drain()
    const feed = (await cat.client.get(`${FORK}/activities/feeds?limit=1`)).json
    expect(feed).toMatchObject([{ op_type: 'commit_repo', ref_name: 'refs/heads/fix', act_user: { login: 'wes' } }])
  })

  it('cannot change other refs, or create or delete a branch', async () => {
    await commit()
    await git(work, ['tag', 'v2'])
    for (const refs of [['HEAD:main'], ['HEAD:new'], [':fix'], ['v2'], ['HEAD:refs/notes/x'], ['HEAD:fix', 'HEAD:new']])
      expect((await bySsh(...refs)).stderr, refs.join()).toContain('User permission denied for writing.')
    const own = await ssh.deployKey(repo.id, { readOnly: false })
    for (const key of [own, await ssh.deployKey((await cat.client.get(FORK)).json.id, { readOnly: true })])
      expect((await ssh.tryGit(work, key, 'push', ssh.url('cat/fork'), 'fix')).stderr).toContain('is not authorized')
  })

  it('obey the rules of the branch like the author', async () => {
    await git(work, ['commit', '-q', '--amend', '-m', 'other'])
    expect(await bySsh('-f', 'fix')).toMatchObject({ code: 0 })
    const list = { enable_push: true, enable_push_whitelist: true }
    await cat.client.post(RULE, { rule_name: 'fix', ...list, push_whitelist_usernames: ['cat'] })
    await commit()
    expect(await bySsh('fix')).toMatchObject({ code: 0 })
    await git(work, ['commit', '-q', '--amend', '-m', 'third'])
    expect((await bySsh('-f', 'fix')).stderr).toContain('branch fix is protected from force push')
    await cat.client.patch(`${RULE}/fix`, { enable_push: false })
    await git(work, ['reset', '-q', '--hard', 'HEAD@{1}'])
    await commit()
    expect((await bySsh('fix')).stderr).toContain('Not allowed to push to protected branch fix')
    await cat.client.delete(`${RULE}/fix`)
  })

  it('may upload the large files of the branch', async () => {
    const { stdout } = await ssh.ssh(wess, ['git-lfs-authenticate cat/fork upload'])
    const { header, href } = JSON.parse(stdout) as { header: Record<string, string>; href: string }
    const statusOf = async (branch: string): Promise<number> => {
      const body = JSON.stringify({ operation: 'upload', objects: [], ref: { name: `refs/heads/${branch}` } })
      const headers = { ...header, accept: 'application/vnd.git-lfs+json' }
      return (await fetch(`${href}/objects/batch`, { method: 'POST', headers, body })).status
    }
    expect([await statusOf('fix'), await statusOf('main')]).toEqual([200, 401])
    await cat.client.patch(`/repos/ann/r/pulls/${number}`, { allow_maintainer_edit: false })
    expect(await statusOf('fix')).toBe(401)
    const refused = await ssh.ssh(wess, ['git-lfs-authenticate cat/fork upload'])
    expect(refused.stderr).toContain('is not authorized to write to cat/fork')
    await cat.client.patch(`/repos/ann/r/pulls/${number}`, { allow_maintainer_edit: true })
  })

  it('are refused after the author disallows them, and after the pull request is closed', async () => {
    for (const [off, on] of [
      [{ allow_maintainer_edit: false }, { allow_maintainer_edit: true }],
      [{ state: 'closed' }, { state: 'open' }],
    ]) {
      await cat.client.patch(`/repos/ann/r/pulls/${number}`, off)
      expect((await bySsh('fix')).stderr).toContain('User permission denied for writing.')
      await cat.client.patch(`/repos/ann/r/pulls/${number}`, on)
    }
    expect(await bySsh('fix')).toMatchObject({ code: 0 })
  })
})
